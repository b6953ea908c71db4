import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, it, vi } from 'vitest';
import { GRACE_MS } from '../../../src/service/core/bounds.ts';
import { createPublicUrl } from '../../../src/service/core/public-url.ts';
import { makeKeyPair } from '../../../src/service/proof/key-pair.ts';
import { createLoneKey, type ProofKeys } from '../../../src/service/proof/proof-keys.ts';
import { createProofs } from '../../../src/service/proof/proofs.ts';
import { exampleResult } from '../../../src/testing/replies.ts';

const ISSUER = 'https://verify.example/api';
const PAGE = { origin: 'https://shop.example', isTest: false };
const NOW = Date.UTC(2026, 0, 15, 12, 0, 0, 700);

function proofsWith(keys: ProofKeys, log = vi.fn()) {
  return createProofs({ keys, publicUrl: createPublicUrl(ISSUER), seconds: 600, log, now: () => NOW });
}

/** What an independent implementation reads. */
async function read(proof: string, keys: ProofKeys) {
  const { published } = await keys.current();
  const own = { audience: PAGE.origin, issuer: ISSUER, currentDate: new Date(NOW) };
  const expected = { ...own, algorithms: ['ES256'], typ: 'email-verify-proof+jwt' };
  return jwtVerify(proof, createLocalJWKSet({ keys: published.map((key) => ({ ...key })) }), expected);
}

it('signs what an independent implementation accepts, with exactly these claims', async () => {
  const keys = createLoneKey(makeKeyPair);
  const did_you_mean = 'jane@company.example';
  const result = exampleResult('jane+news@company.example', { did_you_mean, role: true });
  const proof = (await proofsWith(keys).sign(result, PAGE))!;
  const { payload, protectedHeader } = await read(proof, keys);
  const { kid } = (await keys.current()).signing;
  expect(protectedHeader).toEqual({ alg: 'ES256', kid, typ: 'email-verify-proof+jwt' });
  expect(payload).toEqual({
    iss: ISSUER,
    aud: PAGE.origin,
    iat: Math.floor(NOW / 1000),
    exp: Math.floor(NOW / 1000) + 600,
    jti: expect.stringMatching(/^[\w-]{22}$/),
    email: 'jane+news@company.example',
    state: 'deliverable',
    reason: 'accepted_email',
    score: 95,
    accept_all: false,
    disposable: false,
    role: true,
    free: false,
    did_you_mean: 'jane@company.example',
  });
});

it('marks the proof of a test key', async () => {
  const keys = createLoneKey(makeKeyPair);
  const proof = (await proofsWith(keys).sign(exampleResult('a@b.example'), { ...PAGE, isTest: true }))!;
  expect((await read(proof, keys)).payload.test).toBe(true);
});

it('never uses an id twice', async () => {
  const keys = createLoneKey(makeKeyPair);
  const sign = async () => (await proofsWith(keys).sign(exampleResult('a@b.example'), PAGE))!;
  const idOf = async () => (await read(await sign(), keys)).payload.jti;
  const ids = await Promise.all(Array.from({ length: 130 }, idOf));
  expect(new Set(ids).size).toBe(130);
});

it('is not accepted after a change of any part', async () => {
  const keys = createLoneKey(makeKeyPair);
  const proof = (await proofsWith(keys).sign(exampleResult('a@b.example'), PAGE))!;
  const [head, claims, signature] = proof.split('.') as [string, string, string];
  const other = Buffer.from(claims, 'base64url').toString().replace('a@b.example', 'x@b.example');
  const forged = `${head}.${Buffer.from(other).toString('base64url')}.${signature}`;
  await expect(read(forged, keys)).rejects.toThrow();
  await expect(read(proof, createLoneKey(makeKeyPair))).rejects.toThrow();
});

it('gives no proof that would be longer than 1,200 bytes, and the longest one has that many', async () => {
  const proofs = proofsWith(createLoneKey(makeKeyPair));
  const signed = async (length: number) =>
    proofs.sign(exampleResult(`a@${'b'.repeat(length - 10)}.example`), PAGE);
  let longest = 300;
  while (await signed(longest + 1)) longest += 1;
  expect((await signed(longest))!.length).toBeGreaterThan(1196);
  expect((await signed(longest))!.length).toBeLessThanOrEqual(1200);
  expect(await signed(longest + 50)).toBeUndefined();
});

it('counts the bytes of an address in another script', async () => {
  const proofs = proofsWith(createLoneKey(makeKeyPair));
  const proof = (await proofs.sign(exampleResult('用户@例え.example'), PAGE))!;
  expect(proof).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(decodeProtectedHeader(proof).alg).toBe('ES256');
});

it('gives no proof while the keys cannot be read, and says so without the address', async () => {
  const log = vi.fn();
  const fault = Object.assign(new Error('secret@text.example'), { code: 'X1' });
  const keys = { current: () => Promise.reject(fault) };
  expect(await proofsWith(keys, log).sign(exampleResult('a@b.example'), PAGE)).toBeUndefined();
  expect(log).toHaveBeenCalledWith('warn', 'result not signed', expect.objectContaining({ error: 'X1' }));
  expect(JSON.stringify(log.mock.calls)).not.toMatch(/b\.example|secret/);
});

it('does not hold up the result for keys that do not come', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const log = vi.fn();
    const proofs = proofsWith({ current: () => new Promise(() => {}) }, log);
    const signed = proofs.sign(exampleResult('a@b.example'), PAGE);
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
    expect(log).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toHaveBeenCalledOnce();
    expect(await signed).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

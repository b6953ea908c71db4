/** `GET /v1/verify/explain` over HTTP, with keys and accounts in a real database. */
import { describe, expect, it } from 'vitest';
import type { EvidenceStep, Verified, Verifier } from '../../../src/engine/verifier.ts';
import { creditsOf, ledgerOf } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import {
  beginSecond,
  createHeldScript,
  createScript,
  failureOf,
  makeCustomer,
  resultOf,
  startStoredService,
} from '../support/stored-service.ts';
import { KEYS, startService } from '../testing.ts';

const { db } = await testDatabase();

const EVIDENCE: EvidenceStep[] = [
  { atMs: 1, tookMs: 20, stage: 'dns', server: '192.0.2.53', text: 'MX of a.example: mx.a.example' },
  { atMs: 50, tookMs: 30, stage: 'rcpt', server: 'mx.company.example', code: 250, text: '250 2.1.5 OK' },
  { atMs: 81, stage: 'verdict', rule: 'accepted', text: 'accepted_email' },
];

const explained: Verifier = async ({ address }) => ({
  result: await resultOf(address, { state: 'deliverable', duration: 0.08 }),
  evidence: EVIDENCE,
});

const makeKey = (credits: number, kind: 'private' | 'public' = 'private', mode: 'live' | 'test' = 'live') =>
  makeCustomer(db, credits, { kind, mode });

const url = (path: string, key: string, more: Record<string, string> = {}) =>
  `${path}?${new URLSearchParams({ api_key: key, email: 'jo@company.example', ...more })}`;
const explainUrl = (key: string, more?: Record<string, string>) => url('/v1/verify/explain', key, more);
const verifyUrl = (key: string, more?: Record<string, string>) => url('/v1/verify', key, more);

const NEEDS_LIVE_PRIVATE = [403, expect.stringContaining('private key that begins with live_')];

describe('GET /v1/verify/explain', () => {
  it('returns the result with its evidence, for one credit', async () => {
    const service = await startStoredService(db, { verifier: explained });
    const { key, accountId } = await makeKey(3);
    const answer = await service.ask({ url: explainUrl(key, { email: ' Jo@company.example ' }) });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ email: 'Jo@company.example', state: 'deliverable' });
    expect(answer.json().evidence).toEqual(EVIDENCE);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'ratelimit-limit': '1000000' });
    expect(await creditsOf(db, accountId)).toBe(2);
    expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, verification: 1 });
  });

  it('has every field of the result at /v1/verify, and no evidence there', async () => {
    const service = await startStoredService(db, { verifier: explained });
    const { key } = await makeKey(3);
    const { evidence, ...fields } = (await service.ask({ url: explainUrl(key) })).json();
    expect(evidence).toEqual(EVIDENCE);
    expect((await service.ask({ url: verifyUrl(key) })).json()).toEqual(fields);
  });

  it('gets the evidence of what /v1/verify has begun, for one credit in all', async () => {
    const { verifier, asked, release, hasStarted } = createHeldScript();
    const explain = (verified: Verified): Verified => ({ ...verified, evidence: EVIDENCE });
    const explaining: Verifier = async (request) => {
      const verified = await verifier(request);
      return verified.result ? explain(verified) : { ...verified, later: verified.later?.then(explain) };
    };
    const service = await startStoredService(db, { verifier: explaining });
    const { key, accountId } = await makeKey(2);
    const late = service.ask({ url: verifyUrl(key, { timeout: '2' }) });
    await hasStarted;
    const joined = service.ask({ url: explainUrl(key, { timeout: '2' }) });
    expect([(await late).statusCode, (await joined).statusCode]).toEqual([249, 249]);
    expect((await joined).json()).toEqual((await late).json());
    release();
    const again = await service.ask({ url: explainUrl(key) });
    expect([again.statusCode, again.json().evidence]).toEqual([200, EVIDENCE]);
    const plain = await service.ask({ url: verifyUrl(key) });
    expect([plain.statusCode, plain.json().evidence]).toEqual([200, undefined]);
    expect(asked).toHaveLength(1);
    expect(await creditsOf(db, accountId)).toBe(1);
  });

  it.each([
    ['private', 'test'],
    ['public', 'test'],
    ['public', 'live'],
  ] as const)('refuses a %s %s key, says which key is needed, and counts nothing', async (kind, mode) => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier, limits: { verifyPerSecond: 1 } });
    const { key, accountId } = await makeKey(1, kind, mode);
    const headers = kind === 'public' ? { origin: 'https://shop.example' } : {};
    for (let times = 0; times < 3; times += 1) {
      expect(failureOf(await service.ask({ url: explainUrl(key), headers }))).toEqual(NEEDS_LIVE_PRIVATE);
    }
    expect(asked).toEqual([]);
    expect(await creditsOf(db, accountId)).toBe(1);
  });

  it('refuses an unknown key and a foreign page as /v1/verify does', async () => {
    const service = await startStoredService(db, { verifier: explained });
    const { key } = await makeKey(1, 'public');
    const headers = { origin: 'https://evil.example' };
    for (const path of [explainUrl, verifyUrl]) {
      expect(failureOf(await service.ask({ url: path('live_unknown') }))).toEqual(
        failureOf(await service.ask({ url: path(key), headers })),
      );
    }
    expect(failureOf(await service.ask({ url: '/v1/verify/explain?email=a@b.example' }))[0]).toBe(401);
  });

  it('checks the parameters before it starts anything', async () => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(1);
    for (const wrong of [{ timeout: '11' }, { smtp: 'perhaps' }, { email: ' ' }]) {
      const [status] = failureOf(await service.ask({ url: explainUrl(key, wrong as never) }));
      expect(status).toBe(400);
    }
    expect(asked).toEqual([]);
    expect(await creditsOf(db, accountId)).toBe(1);
  });

  it('shares its rate limit with /v1/verify', async () => {
    const service = await startStoredService(db, { verifier: explained, limits: { verifyPerSecond: 3 } });
    const { key, accountId } = await makeKey(20);
    await beginSecond(db, accountId, '/v1/verify');
    const statuses: number[] = [];
    for (const path of [explainUrl, verifyUrl, explainUrl, verifyUrl])
      statuses.push((await service.ask({ url: path(key) })).statusCode);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it('gets a 402 without credits', async () => {
    const service = await startStoredService(db, { verifier: explained });
    const { key } = await makeKey(0);
    expect(failureOf(await service.ask({ url: explainUrl(key) }))[0]).toBe(402);
  });

  it('answers a 503 without live verification, and without a database', async () => {
    const stored = await startStoredService(db);
    const { key } = await makeKey(1);
    expect(failureOf(await stored.ask({ url: explainUrl(key) }))).toEqual(
      failureOf(await stored.ask({ url: verifyUrl(key) })),
    );
    const sandbox = startService({ keys: KEYS });
    const missing = await sandbox.ask({ url: explainUrl('live_private') });
    expect(failureOf(missing)).toEqual([503, expect.stringContaining('database')]);
    expect(failureOf(await sandbox.ask({ url: explainUrl('test_private') }))).toEqual(NEEDS_LIVE_PRIVATE);
  });

  it('takes no other method than GET and HEAD', async () => {
    const service = await startStoredService(db, { verifier: explained });
    const { key } = await makeKey(2);
    const post = await service.ask({ url: explainUrl(key), method: 'POST' });
    expect([post.statusCode, post.headers.allow]).toEqual([405, 'GET, HEAD']);
    const head = await service.ask({ url: explainUrl(key), method: 'HEAD' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });
});

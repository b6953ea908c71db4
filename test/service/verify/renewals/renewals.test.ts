/** The same visitor asks a public live key for the same address again. The tests move the rows through time. */
import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { eraseAddress } from '../../../../src/service/batch/stored-address/erase-address.ts';
import { findAddress } from '../../../../src/service/batch/stored-address/find-address.ts';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import type { NewKey } from '../../../../src/service/keys/key-store.ts';
import { forgetRenewable } from '../../../../src/service/verify/renewals/renewal-store.ts';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { untilJoined } from '../../support/live.ts';
import {
  createHeldScript,
  createScript,
  failureOf,
  type StoredServiceOptions,
  startStoredService,
  storeKey,
} from '../../support/stored-service.ts';

const { db } = await testDatabase();

const EMAIL = 'jane@company.example';
const SHOP = 'https://shop.example';
const VISITOR = '198.51.100.7';

interface Asked {
  readonly email?: string;
  readonly origin?: string;
  readonly ip?: string;
  readonly key?: string;
  readonly more?: Record<string, string>;
}

/** A service with a public live key of an account. */
async function start(credits: number, options: StoredServiceOptions = {}, key: Partial<NewKey> = {}) {
  const script = createScript({ reason: 'accepted_email' });
  const service = await startStoredService(db, { verifier: script.verifier, ...options });
  const accountId = await makeAccount(db, credits);
  const own = await storeKey(db, accountId, { kind: 'public', mode: 'live', ...key });
  const ask = ({ email = EMAIL, origin = SHOP, ip = VISITOR, key: value = own.key, more }: Asked = {}) => {
    const url = `/v1/verify?${new URLSearchParams({ api_key: value, email, ...more })}`;
    return service.ask({ url, headers: { origin }, remoteAddress: ip });
  };
  return { ...script, ...service, accountId, keyId: own.id, ask };
}

const keptOf = (accountId: string) =>
  db.selectFrom('renewable_results').selectAll().where('account_id', '=', accountId).execute();
const claimsOf = ({ headers }: LightMyRequestResponse) => decodeJwt(String(headers['email-verify-proof']));

/** Lets so many seconds pass for the kept results. */
const passSeconds = (seconds: number) =>
  sql`update renewable_results set expires_at = expires_at - make_interval(secs => ${seconds})`.execute(db);

it('gives the same result with a new proof, for no credit and without a mail server', async () => {
  const { ask, asked, accountId } = await start(5);
  const first = await ask();
  const again = await ask({ origin: 'https://www.shop.example' });
  expect([first.statusCode, again.statusCode]).toEqual([200, 200]);
  expect(again.json()).toEqual(first.json());
  expect(asked).toHaveLength(1);
  expect(await creditsOf(db, accountId)).toBe(4);
  expect(claimsOf(again)).toMatchObject({ email: EMAIL, aud: 'https://www.shop.example' });
  expect(claimsOf(again).jti).not.toBe(claimsOf(first).jti);
});

it('is free until an hour after the result that was paid, and a renewal does not extend that', async () => {
  const { ask, asked, accountId } = await start(5);
  await ask();
  await passSeconds(3590);
  await ask();
  expect(asked).toHaveLength(1);
  await passSeconds(20);
  await ask();
  expect(asked).toHaveLength(2);
  expect(await creditsOf(db, accountId)).toBe(3);
  // The new result is free for an hour again.
  await passSeconds(3590);
  await ask();
  expect(asked).toHaveLength(2);
});

it('ends after durations.proofAgain', async () => {
  const { ask, asked } = await start(5, { durations: { proofAgain: 60 } });
  await ask();
  await passSeconds(61);
  await ask();
  expect(asked).toHaveLength(2);
});

it('gives it when no credits are left', async () => {
  const { ask, accountId } = await start(1);
  await ask();
  expect((await ask()).statusCode).toBe(200);
  expect((await ask({ email: 'john@company.example' })).statusCode).toBe(402);
  expect(await creditsOf(db, accountId)).toBe(0);
});

it('gives it when the key has spent its credits of the day', async () => {
  const { ask } = await start(5, {}, { daily_credits: 1 });
  await ask();
  expect((await ask()).statusCode).toBe(200);
  expect((await ask({ email: 'john@company.example' })).statusCode).toBe(429);
});

it('takes no place of the day’s ten, even on the next day', async () => {
  const { ask } = await start(5, { limits: { uniquePerDay: 1, verifyPerSecond: 1_000_000 } });
  await ask();
  expect((await ask({ email: 'john@company.example' })).statusCode).toBe(429);
  await sql`update visitors set day = day - 1`.execute(db);
  expect((await ask()).statusCode).toBe(200);
  // The day's only place is still free.
  expect((await ask({ email: 'john@company.example' })).statusCode).toBe(200);
});

it('gives it while no mail server can be reached', async () => {
  let isPortClosed = false;
  const { ask } = await start(5, { isPortClosed: () => isPortClosed });
  await ask();
  isPortClosed = true;
  expect((await ask()).statusCode).toBe(200);
  expect((await ask({ email: 'john@company.example' })).statusCode).toBe(503);
});

it.each<[string, Asked]>([
  ['another visitor', { ip: '203.0.113.9' }],
  ['another address', { email: 'john@company.example' }],
  ['the address with another case of its local part', { email: 'Jane@company.example' }],
  ['other options', { more: { accept_all: 'true' } }],
  ['a request without SMTP', { more: { smtp: 'false' } }],
])('costs a credit for %s', async (_, asking) => {
  const { ask, asked, accountId } = await start(5);
  await ask();
  expect((await ask(asking)).statusCode).toBe(200);
  expect(asked).toHaveLength(2);
  expect(await creditsOf(db, accountId)).toBe(3);
});

it('costs a credit with another public key and with a private key of the account', async () => {
  const { ask, asked, accountId } = await start(5);
  await ask();
  const other = await storeKey(db, accountId, { kind: 'public', mode: 'live' });
  const server = await storeKey(db, accountId, { kind: 'private', mode: 'live' });
  for (const { key } of [other, server, server]) expect((await ask({ key })).statusCode).toBe(200);
  expect(asked).toHaveLength(4);
  expect(await creditsOf(db, accountId)).toBe(1);
});

it('recognises a visitor by the IPv6 network, and an address in another spelling', async () => {
  const { ask, asked } = await start(5);
  await ask({ email: 'jane@bücher.example', ip: '2001:db8::1' });
  const again = await ask({ email: 'jane@xn--bcher-kva.example', ip: '2001:db8::2' });
  expect(asked).toHaveLength(1);
  expect(claimsOf(again).email).toBe('jane@xn--bcher-kva.example');
});

it('asks again for a result that was free, because it is unknown', async () => {
  const { verifier, asked } = createScript({ state: 'unknown', reason: 'timeout' });
  const { ask, accountId } = await start(5, { verifier });
  await ask();
  await ask();
  expect(asked).toHaveLength(2);
  expect(await creditsOf(db, accountId)).toBe(5);
});

it('gives an unknown result again that was paid', async () => {
  const { verifier, asked } = createScript({ state: 'unknown', reason: 'timeout' });
  const { ask, accountId } = await start(5, { verifier, refundUnknown: false });
  await ask();
  await ask();
  expect(asked).toHaveLength(1);
  expect(await creditsOf(db, accountId)).toBe(4);
});

it('gives the result after a 249 again, beyond the minutes in which that is free for all', async () => {
  const { verifier, release, asked } = createHeldScript();
  const { ask, accountId, finish } = await start(5, { verifier });
  expect((await ask({ more: { timeout: '2' } })).statusCode).toBe(249);
  release();
  await finish();
  expect((await ask()).statusCode).toBe(200);
  await sql`delete from verifications`.execute(db);
  expect((await ask()).statusCode).toBe(200);
  expect(asked).toHaveLength(1);
  expect(await creditsOf(db, accountId)).toBe(4);
});

it('gives it to each visitor who shared a verification', async () => {
  const { verifier, release, hasStarted, asked } = createHeldScript();
  const { ask, accountId } = await start(5, { verifier });
  const both = Promise.all([ask(), ask({ ip: '203.0.113.9' })]);
  await hasStarted;
  await untilJoined(db, accountId);
  release();
  await both;
  await ask();
  await ask({ ip: '203.0.113.9' });
  expect(asked).toHaveLength(1);
  expect(await creditsOf(db, accountId)).toBe(4);
});

it('still asks for the captcha', async () => {
  const fetch = vi.fn(async () => Response.json({ success: true, hostname: 'shop.example' }));
  const options = { fetch: fetch as unknown as typeof globalThis.fetch };
  const captcha = { captcha_provider: 'turnstile', captcha_secret: 'the secret' } as const;
  const { ask, asked } = await start(5, options, captcha);
  expect((await ask({ more: { captcha_response: 'one' } })).statusCode).toBe(200);
  expect(failureOf(await ask())[0]).toBe(403);
  expect((await ask({ more: { captcha_response: 'two' } })).statusCode).toBe(200);
  expect(asked).toHaveLength(1);
});

it('keeps the result sealed, and neither the address nor the visitor', async () => {
  const { ask, accountId } = await start(5);
  await ask();
  const rows = await keptOf(accountId);
  expect(rows).toHaveLength(1);
  const text = Buffer.concat([rows[0]!.id, rows[0]!.question, rows[0]!.outcome]).toString('latin1');
  for (const part of [EMAIL, 'company', VISITOR, 'deliverable']) expect(text).not.toContain(part);
});

it('responds all the same if the result cannot be kept', async () => {
  const { ask, logged } = await start(5);
  await sql`alter table renewable_results add constraint refused check (false) not valid`.execute(db);
  try {
    const answer = await ask();
    expect(answer.statusCode).toBe(200);
    expect(claimsOf(answer).email).toBe(EMAIL);
    expect(logged.join()).toContain('result not kept');
    expect(logged.join()).not.toContain(EMAIL);
  } finally {
    await sql`alter table renewable_results drop constraint refused`.execute(db);
  }
});

it('is deleted when it is over, with its account, and with the address', async () => {
  const over = await start(5);
  await over.ask();
  await passSeconds(3601);
  while (await forgetRenewable(db));
  expect(await keptOf(over.accountId)).toEqual([]);

  const deleted = await start(5);
  await deleted.ask();
  await deleteAccount(db, deleted.accountId);
  expect(await keptOf(deleted.accountId)).toEqual([]);

  const erased = await start(5);
  await erased.ask();
  expect((await findAddress(db, erased.accountId, EMAIL)).verifications).toBe(1);
  await eraseAddress(db, erased.accountId, EMAIL, { kind: 'operator' });
  expect((await findAddress(db, erased.accountId, EMAIL)).verifications).toBe(0);
  expect(await keptOf(erased.accountId)).toEqual([]);
});

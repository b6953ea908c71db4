/** What `/v1/verify` says when the process has as many verifications as it may. */
import { expect, it } from 'vitest';
import { deadlineAfter } from '../../../src/service/verify/live/deadline.ts';
import { creditsOf, ledgerOf, makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { settingsWith } from '../support/deps.ts';
import { holdGrace } from '../support/held-timers.ts';
import { scriptVerifier, startLive, untilJoined } from '../support/live.ts';
import { PATIENTLY } from '../support/patience.ts';
import {
  createHeldScript,
  failureOf,
  makeCustomer,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';

const { db } = await testDatabase();
holdGrace();

const urlOf = (key: string, email: string, more: Record<string, string> = {}) =>
  `/v1/verify?${new URLSearchParams({ api_key: key, email, ...more })}`;

/** A service that has one verification, which waits until the test ends it, and no room for another. */
async function startFull() {
  const { accountId, key } = await makeCustomer(db, 5, { mode: 'live' });
  const { verifier, asked, release, hasStarted } = createHeldScript();
  const service = await startStoredService(db, {
    verifier,
    live: { concurrency: 1 },
    // Longer than the five seconds of a request, which a busy machine takes.
    deadlineAfter: () => deadlineAfter(PATIENTLY.timeout),
    fetch: () => Promise.reject(new Error('no captcha is asked about')),
  });
  const first = service.ask({ url: urlOf(key, 'first@company.example') });
  await hasStarted;
  return { service, key, accountId, asked, release, first };
}

it('refuses another one with a 503 that says when to come back, and it costs nothing', async () => {
  const { service, key, accountId, asked, release, first } = await startFull();
  const refused = await service.ask({ url: urlOf(key, 'second@company.example') });
  expect(failureOf(refused)).toEqual([503, expect.stringContaining('Send it again later')]);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.headers['ratelimit-remaining']).toBeUndefined();
  release();
  expect((await first).statusCode).toBe(200);
  expect(asked).toEqual(['first@company.example']);
  expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, verification: 1 });
  expect((await service.ask({ url: urlOf(key, 'second@company.example') })).statusCode).toBe(200);
  expect(await creditsOf(db, accountId)).toBe(3);
});

it('refuses before a captcha is spent, and before one of the ten addresses of a day', async () => {
  const { service, accountId, release, first } = await startFull();
  const { key, id } = await storeKey(db, accountId, {
    ...{ kind: 'public', mode: 'live', trusted_domains: ['shop.example'] },
    ...{ captcha_provider: 'turnstile', captcha_secret: 'a secret of the test' },
  });
  const url = urlOf(key, 'visitor@company.example', { captcha_response: 'token' });
  const refused = await service.ask({ url, headers: { origin: 'https://shop.example' } });
  expect(failureOf(refused)[1]).toContain('too busy to verify more addresses');
  expect(await db.selectFrom('visitors').selectAll().where('key_id', '=', id).execute()).toEqual([]);
  release();
  await first;
});

it('refuses a request with an Idempotency-Key in a way that it can be sent again', async () => {
  const { service, key, release, first } = await startFull();
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'again' };
  const payload = { email: 'second@company.example' };
  const send = () => service.ask({ method: 'POST', url: '/v1/verify', headers, payload });
  expect((await send()).statusCode).toBe(503);
  release();
  await first;
  const answered = await send();
  expect(answered.statusCode).toBe(200);
  expect((await send()).body).toBe(answered.body);
});

it('still answers test keys, which take none of the room', async () => {
  const { service, accountId, release, first } = await startFull();
  const { key } = await storeKey(db, accountId, { kind: 'private', mode: 'test' });
  expect((await service.ask({ url: urlOf(key, 'a@company.example') })).statusCode).toBe(200);
  release();
  await first;
});

it('counts a verification that goes on after its 249', async () => {
  const { service, key, accountId, release, first } = await startFull();
  release();
  await first;
  const held = createHeldScript();
  const other = await startStoredService(db, { verifier: held.verifier, live: { concurrency: 1 } });
  const late = await other.ask({ url: urlOf(key, 'late@company.example', { timeout: '2' }) });
  expect(late.statusCode).toBe(249);
  expect((await other.ask({ url: urlOf(key, 'next@company.example') })).statusCode).toBe(503);
  // Another process has room of its own.
  expect((await service.ask({ url: urlOf(key, 'next@company.example') })).statusCode).toBe(200);
  held.release();
  expect(await creditsOf(db, accountId)).toBeGreaterThan(0);
});

it('counts requests that wait for the verification of another one', async () => {
  const accountId = await makeAccount(db, 5);
  const script = scriptVerifier();
  const settings = settingsWith({ live: { concurrency: 2 } });
  const { live } = await startLive(db, script.verifier, { settings });
  const question = { accountId, address: 'a@x.example', smtp: true, acceptAll: false, timeoutMs: 60_000 };
  const equal = [live.verify(question), live.verify(question)];
  await untilJoined(db, accountId);
  const other = live.verify({ ...question, address: 'b@x.example' });
  await expect(other).rejects.toMatchObject({ code: 'liveBusy' });
  script.answer();
  await Promise.all(equal);
  expect(await creditsOf(db, accountId)).toBe(4);
});

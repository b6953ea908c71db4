/** What a running service counts of requests and batches. */
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { createSampleVerifier } from '../../../src/sample/sample-verifier.ts';
import { workOff } from '../../../src/service/batch/samples.ts';
import { inLong } from '../../in-long.ts';
import { prepareRoles } from '../roles/processes.ts';
import { makeAccount } from '../support/account.ts';
import { answers, COMPLETED, createBatch, startWorker } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS } from '../support/deps.ts';
import {
  beginSecond,
  createHeldScript,
  createScript,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;

async function resultsOf(accountId: string) {
  const { rows } = await sql<{ text: string }>`
    select concat_ws(' ', mode, source, reason, count) as text
    from daily_results where account_id = ${accountId} order by mode, source, reason
  `.execute(db);
  return rows.map(({ text }) => text);
}

/** The same of one batch, by what its completion has counted. */
async function reasonsOf(accountId: string) {
  const batch = db.selectFrom('batches').select(['mode', 'reason_counts']);
  const { mode, reason_counts } = await batch.where('account_id', '=', accountId).executeTakeFirstOrThrow();
  const counts = Object.entries(reason_counts!);
  return counts.map(([reason, count]) => `${mode} batch ${reason} ${count}`).sort();
}

const verifyUrl = (key: string, email = 'deliverable@example.com', more = '') =>
  `/v1/verify?api_key=${key}&email=${encodeURIComponent(email)}${more}`;

async function start(options: Parameters<typeof startStoredService>[1] = {}) {
  const service = await startStoredService(db, options);
  const accountId = await makeAccount(db, 100);
  return { ...service, accountId };
}

it('counts each result of a test key, and says when the key was used', async () => {
  const { accountId, ask, flushUsage } = await start();
  const key = await storeKey(db, accountId);
  await ask({ url: verifyUrl(key.key) });
  await ask({ url: verifyUrl(key.key) });
  await ask({ url: verifyUrl(key.key, '') });
  await flushUsage();
  expect(await resultsOf(accountId)).toEqual(['test verify accepted_email 2']);
  // `flush-usage.test.ts` shows which time it is.
  const used = db.selectFrom('keys').select('last_used_at').where('id', '=', key.id);
  expect((await used.executeTakeFirst())!.last_used_at).toBeInstanceOf(Date);
});

it('counts no result of a request over the limit, whose 429 has none', async () => {
  const samples: unknown[] = [];
  const onSample = (sample: unknown) => samples.push(sample);
  const { accountId, ask } = await start({ limits: { verifyPerSecond: 3 }, onSample });
  const key = await storeKey(db, accountId);
  // The service starts with the first request, which takes its time.
  await ask({ url: verifyUrl(key.key) });
  await beginSecond(db, accountId, '/v1/verify');
  const all = await Promise.all([1, 2, 3, 4].map(() => ask({ url: verifyUrl(key.key) })));
  expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 429, 429]);
  expect(await resultsOf(accountId)).toEqual(['test verify accepted_email 3']);
  expect(samples).toHaveLength(3);
});

it('counts what a repeated request with an Idempotency-Key got once', async () => {
  const { accountId, ask, flushUsage } = await start();
  const key = await storeKey(db, accountId);
  const request: InjectOptions = {
    ...{ method: 'POST', url: '/v1/verify', headers: { 'idempotency-key': 'once' } },
    payload: { api_key: key.key, email: 'deliverable@example.com' },
  };
  const [first, second] = [await ask(request), await ask(request)];
  expect(second.body).toBe(first.body);
  await flushUsage();
  expect(await resultsOf(accountId)).toEqual(['test verify accepted_email 1']);
});

it('counts a live verification once, however many requests join it or fetch its result', async () => {
  const script = createHeldScript();
  const { accountId, ask, flushUsage, finish } = await start({ verifier: script.verifier });
  const key = await storeKey(db, accountId, { mode: 'live' });
  const url = verifyUrl(key.key, 'ada@gmail.com');
  const brief = { url: `${url}&timeout=2` };
  const joined = [ask(brief), ask(brief), ask(brief)];
  expect((await Promise.all(joined)).map(({ statusCode }) => statusCode)).toEqual([249, 249, 249]);
  await flushUsage();
  expect(await resultsOf(accountId)).toEqual([]);
  script.release();
  expect((await ask({ url })).statusCode).toBe(200);
  expect((await ask({ url })).statusCode).toBe(200);
  // The database may have had the result before the process knew that it has.
  await finish();
  expect(await resultsOf(accountId)).toEqual(['live verify accepted_email 1']);
});

it('counts unknown results, whose credit is given back, and none that failed', async () => {
  const script = createScript({ state: 'unknown', reason: 'timeout' });
  const verifier: Verifier = (request) => {
    if (request.address.startsWith('fail')) throw new Error('broken');
    return script.verifier(request);
  };
  const { accountId, ask, finish } = await start({ verifier });
  const key = await storeKey(db, accountId, { mode: 'live' });
  await ask({ url: verifyUrl(key.key, 'ada@gmail.com') });
  expect((await ask({ url: verifyUrl(key.key, 'fail@gmail.com') })).statusCode).toBe(500);
  await finish();
  expect(await resultsOf(accountId)).toEqual(['live verify timeout 1']);
});

it('counts where keys of accounts are refused, and nothing of unknown keys', async () => {
  const fetch = async () => Response.json({ success: false });
  const { accountId, ask, flushUsage } = await start({ fetch });
  const shop = await storeKey(db, accountId, { kind: 'public' });
  const captcha = { captcha_provider: 'turnstile', captcha_secret: 'x' } as const;
  const guarded = await storeKey(db, accountId, { kind: 'public', ...captcha });
  const server = await storeKey(db, accountId, { trusted_ips: ['198.51.100.1'] });
  const from = (origin: string) => ({ headers: { origin } });
  await ask({ url: verifyUrl(shop.key), ...from('https://evil.example') });
  await ask({ url: verifyUrl(shop.key), ...from('https://evil.example') });
  await ask({ url: verifyUrl(shop.key), ...from('null') });
  await ask({ url: verifyUrl(shop.key) });
  await ask({ url: verifyUrl(shop.key), ...from('https://shop.example') });
  await ask({ url: verifyUrl(guarded.key), ...from('https://shop.example') });
  const solved = verifyUrl(guarded.key, 'deliverable@example.com', '&captcha_response=x');
  await ask({ url: solved, ...from('https://shop.example') });
  await ask({ url: verifyUrl(server.key), remoteAddress: '203.0.113.9' });
  await ask({ url: `/v1/account?api_key=${shop.key}`, ...from('https://shop.example') });
  await ask({ url: verifyUrl('test_unknown_key'), ...from('https://evil.example') });
  await flushUsage();
  const rows = await db.selectFrom('key_refusals').selectAll().orderBy('seen_from').execute();
  const names = { [shop.id]: 'shop', [guarded.id]: 'guarded', [server.id]: 'server' };
  expect(rows.map((row) => `${names[row.key_id]} ${row.reason} ${row.seen_from} ${row.count}`)).toEqual([
    'shop origin  1',
    'server ip 203.0.113.9 1',
    'shop origin https://evil.example 2',
    'guarded captcha https://shop.example 2',
    'shop origin null 1',
  ]);
});

it('counts the distinct addresses of a batch of a test key, also of one that is completed at once', async () => {
  const { accountId, ask, flushUsage } = await start();
  const key = await storeKey(db, accountId);
  const emails = 'ada@shop.example,ADA@shop.example,bob@shop.example,no address';
  await ask({ method: 'POST', url: '/v1/batch', payload: { api_key: key.key, emails } });
  await flushUsage();
  expect(await reasonsOf(accountId)).not.toEqual([]);
  expect(await resultsOf(accountId)).toEqual(await reasonsOf(accountId));
});

it('counts results of large batches of test keys when they are stored, and each once', async () => {
  const { accountId, status } = await createBatch(db, 1_200, { mode: 'test' });
  const sampleVerifier = createSampleVerifier(createFacts(loadPublishedLists()), false);
  const works = [1, 2, 3].map(() => workOff({ ...DEPS, sampleVerifier, db }));
  await Promise.all(works);
  await workOff({ ...DEPS, sampleVerifier, db });
  expect(await status()).toEqual([COMPLETED, 1_201]);
  expect(await resultsOf(accountId)).toEqual(await reasonsOf(accountId));
});

it('counts results of live batches when they are stored, and none that waits for another try', async () => {
  const batch = await createBatch(db, 60);
  await startWorker(db, answers('deliverable'));
  await startWorker(db, answers('deliverable'));
  await batch.until(COMPLETED, 61);
  const unknown = await createBatch(db, 2, { retries: false });
  await unknown.until(COMPLETED, 3);
  expect(await resultsOf(batch.accountId)).toEqual(['live batch accepted_email 60']);
  expect(await resultsOf(unknown.accountId)).toEqual(['live batch accepted_email 2']);
});

inLong('has counted each result that it acknowledged, although the process is killed', async () => {
  const servers = { 'accepted.test': { catchAll: true } };
  const { start: startProcess, makeKey } = await prepareRoles(database, servers);
  const [test, live] = [await makeKey(0, 'test'), await makeKey(10)];
  const service = await startProcess('web');
  await service.untilReady();
  const verify = async (headers: Record<string, string>, email: string) =>
    (await fetch(`${service.address}/v1/verify?email=${email}`, { headers })).status;
  expect(await verify(test.headers, 'deliverable@example.com')).toBe(200);
  expect(await verify(live.headers, 'ada@accepted.test')).toBe(200);
  expect(await verify(live.headers, 'no address')).toBe(200);
  service.kill();
  expect(await resultsOf(test.accountId)).toEqual(['test verify accepted_email 1']);
  expect((await resultsOf(live.accountId)).length).toBe(2);
});

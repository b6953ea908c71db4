/** A batch of a million addresses, in a process of the service. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startWorld } from '../../engine/world/world.ts';
import { creditsOf, makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { listening, MAIN, untilReady, writeConfig } from '../support/service-process.ts';
import { storeKey } from '../support/stored-service.ts';

const { db, url: databaseUrl } = await testDatabase();

const ENTRIES = 1_000_000;
/** Every tenth entry repeats an earlier one. */
const DISTINCT = 900_000;
const MOST_KIB = 512 * 1024;
const addressOf = (index: number) => `user${index % DISTINCT}@company${index % 5_000}.example`;

function* body() {
  yield '{"emails":[';
  for (let from = 0; from < ENTRIES; from += 10_000) {
    const some = Array.from({ length: 10_000 }, (_, index) => addressOf(from + index));
    yield (from > 0 ? ',' : '') + JSON.stringify(some).slice(1, -1);
  }
  yield ']}';
}

async function post(address: string, key: string): Promise<{ status: number; body: string }> {
  const own = { authorization: `Bearer ${key}`, 'idempotency-key': 'the-million' };
  const headers = { ...own, 'content-type': 'application/json' };
  const sent = request(`${address}/v1/batch`, { method: 'POST', headers });
  const answered = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) =>
      text(response).then((said) => resolve({ status: response.statusCode!, body: said }), reject),
    );
  });
  answered.catch(() => {});
  for (const piece of body())
    if (!sent.write(piece))
      await Promise.race([new Promise((drained) => sent.once('drain', drained)), answered]);
  sent.end();
  return answered;
}

const largestMemory = (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

const countOf = async (table: 'batches' | 'batch_rows' | 'ledger') =>
  (await db.selectFrom(table).select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()).count;

/** The bytes of the table, also those of a transaction that is still open. */
const sizeOf = async () =>
  (await sql<{ size: number }>`select pg_relation_size('batch_rows') as size`.execute(db)).rows[0]!.size;

it('is all or nothing when its process is killed, and stays within 512 MiB', async () => {
  const world = await startWorld({});
  onTestFinished(() => world.close());
  const path = writeConfig({ database: databaseUrl, live: world.live });
  const accountId = await makeAccount(db, ENTRIES);
  await db.updateTable('accounts').set({ batch_size: ENTRIES }).where('id', '=', accountId).execute();
  const { key } = await storeKey(db, accountId, { kind: 'private', mode: 'live' });
  const start = async () => {
    // Its addresses stay as they are.
    const words = [MAIN, '--config', path, '--port', '0', '--role', 'web'];
    const service = await listening(process.execPath, words);
    await untilReady(service.address);
    return service;
  };

  const killed = await start();
  const lost = post(killed.address, key).catch(() => 'lost');
  await vi.waitUntil(async () => (await sizeOf()) > 20_000_000, { interval: 200 });
  killed.child.kill('SIGKILL');
  expect(await lost).toBe('lost');
  await killed.exit;
  expect([await countOf('batches'), await countOf('batch_rows')]).toEqual([0, 0]);
  expect(await creditsOf(db, accountId)).toBe(ENTRIES);

  const service = await start();
  const isTaken = async () => (await post(service.address, key)).status === 200;
  await vi.waitUntil(isTaken, { timeout: 600_000, interval: 1_000 });
  expect(largestMemory(service.child.pid!)).toBeLessThan(MOST_KIB);
  const { rows } = await sql<{ total: number; distinct_total: number; rows: number; entries: number }>`
    select total, distinct_total, count(*) as rows, sum(duplicates + 1)::bigint as entries
    from batches join batch_rows on batch_id = batches.id group by batches.id
  `.execute(db);
  expect(rows).toEqual([{ total: ENTRIES, distinct_total: DISTINCT, rows: DISTINCT, entries: ENTRIES }]);
  expect(await creditsOf(db, accountId)).toBe(ENTRIES - DISTINCT);
}, 1_200_000);

/**
 * Repeated jobs have no leader: two workers do all of them at the same time, and each thing is done once. The long run
 * has them in processes of their own.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { creditsOf, ledgerOf } from '../support/account.ts';
import { createBatch } from '../support/batch.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { startReceiver } from '../support/receiver.ts';
import { postBatch, prepareRoles } from './processes.ts';

const database = await testDatabase();
const { db } = database;

const LOST = 150;
const EXPIRED = 6;

/** Verifications that ran when their process died. */
async function loseVerifications(accountId: string): Promise<void> {
  const process = randomUUID();
  const dead = { id: process, alive_at: new Date(0) };
  await db.insertInto('processes').values(dead).execute();
  const requests = Array.from({ length: LOST }, (_, place) => ({
    ...{ place, id: randomUUID(), account: accountId, process, keep_seconds: 300 },
    question: Buffer.alloc(32, place).toString('hex'),
  }));
  await sql`select * from begin_verifications(${JSON.stringify(requests)}::jsonb)`.execute(db);
}

/** Completed batches whose results have expired. */
async function expireBatches(): Promise<void> {
  const receiver = await startReceiver();
  for (let count = 0; count < EXPIRED; count += 1) {
    const { id } = await completeWithCallback(db, receiver.url, { size: 900 });
    await db.deleteFrom('callbacks').where('batch_id', '=', id).execute();
    await sql`update batches set completed_at = '2020-01-01', expires_at = '2020-01-02' where id = ${id}`.execute(
      db,
    );
  }
}

it('gives back, deletes, verifies and sends once, whatever both do at the same time', async () => {
  const { world, start, makeKey } = await prepareRoles(database, { 'good.test': {} });
  const { accountId, headers } = await makeKey(1_000);
  await loseVerifications(accountId);
  expect(await creditsOf(db, accountId)).toBe(1_000 - LOST);
  await expireBatches();
  const receiver = await startReceiver();
  const callbacks = await Promise.all(
    Array.from({ length: 40 }, () => completeWithCallback(db, receiver.url)),
  );
  const samples = [
    await createBatch(db, 3_000, { mode: 'test' }),
    await createBatch(db, 700, { mode: 'test' }),
  ];

  const [web, ...workers] = await Promise.all([start('web'), start('worker'), start('worker')]);
  await web.untilReady();
  const addresses = Array.from({ length: 300 }, (_, place) => `u${place}@good.test`);
  const live = await postBatch(web, headers, addresses);

  await Promise.all(callbacks.map((callback) => callback.until('delivered')));
  await vi.waitFor(async () => {
    const open = db.selectFrom('batches').select('id').where('completed_at', 'is', null);
    expect(await open.execute()).toEqual([]);
    const unemptied = db.selectFrom('batches').select('id').where('emptied_at', 'is', null);
    expect(await unemptied.where('expires_at', '<', new Date()).execute()).toEqual([]);
    expect((await ledgerOf(db, accountId)).refund).toBe(LOST);
  }, PATIENTLY);

  expect(receiver.received).toHaveLength(callbacks.length);
  expect(await creditsOf(db, accountId)).toBe(1_000 - addresses.length);
  expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, verification: LOST, refund: LOST, batch: 1 });
  for (const { status } of samples) expect((await status())[0]).toBe('Batch verification completed.');
  // Each address was asked about once.
  const asked = world.server('good.test').log.filter(({ line }) => /^RCPT/i.test(line));
  expect(asked).toHaveLength(addresses.length);
  const counted = db.selectFrom('batches').select('reason_counts').where('id', '=', live);
  expect(await counted.executeTakeFirst()).toEqual({ reason_counts: { accepted_email: addresses.length } });
  // Nothing failed on the way, such as a deadlock.
  for (const process of [web, ...workers]) {
    const unwell = process.events().filter(({ level, place }) => level !== 'info' && place !== 'publicUrl');
    // On a machine that stalls, connections time out, and these errors have no code.
    expect(unwell.filter(({ event, error }) => event !== 'doctor' && error !== 'Error')).toEqual([]);
    expect(await process.stop()).toBe(0);
  }
  await world.close();
});

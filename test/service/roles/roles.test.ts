/** The roles `web` and `worker` as real processes on one database. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { creditsOf, ledgerOf } from '../support/account.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { createTestDatabase } from '../support/database.ts';
import { startReceiver } from '../support/receiver.ts';
import { freePath } from '../support/room.ts';
import { runToEnd, writeConfig } from '../support/service-process.ts';
import { postBatch, prepareRoles, readBatch } from './processes.ts';

vi.setConfig({ testTimeout: 60_000 });

const database = await createTestDatabase();
const { db } = database;
let roles: Awaited<ReturnType<typeof prepareRoles>>;
beforeAll(async () => {
  roles = await prepareRoles(database, { 'good.test': {} });
});
afterAll(async () => {
  await roles.world.close();
  await database.drop();
});

/** Waits for a heartbeat that is so much later. A process with the role all looks for each kind of work twice in that time. */
async function untilHeardOf(seconds: number): Promise<void> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const from = rows[0]!.now;
  const beats = sql<{ found: boolean }>`
    select exists (select from processes where alive_at > ${from}::timestamptz + make_interval(secs => ${seconds})) as found
  `;
  const isHeard = async () => (await beats.execute(db)).rows[0]!.found;
  await vi.waitUntil(isHeard, { timeout: 15_000, interval: 50 });
}

const addresses = (count: number) => Array.from({ length: count }, (_, place) => `u${place}@good.test`);
const COMPLETED = 'Batch verification completed.';

describe('a web process', () => {
  it('verifies for requests, takes batches and leaves them to a worker, which begins within 2 seconds', async () => {
    const web = await roles.start('web');
    await web.untilReady();
    const { headers, accountId } = await roles.makeKey(100);
    const verified = await fetch(`${web.address}/v1/verify?email=jo@good.test`, { headers });
    expect(await verified.json()).toMatchObject({ state: 'deliverable' });
    // The connection may still be ended.
    const recipients = () =>
      roles.world.server('good.test').log.filter(({ line }) => /^RCPT/i.test(line)).length;
    const asked = recipients();
    const [first, sample] = [
      await postBatch(web, headers, addresses(20)),
      await postBatch(web, (await roles.makeKey(0, 'test')).headers, addresses(1_500)),
    ];
    const receiver = await startReceiver();
    const callback = await completeWithCallback(db, receiver.url);
    await untilHeardOf(2.5);
    expect(await readBatch(web, headers, first)).toMatchObject({ processed: 0 });
    const results = db.selectFrom('batch_rows').select('place').where('reason', 'is not', null);
    expect(await results.where('batch_id', '=', sample).execute()).toEqual([]);
    expect(receiver.received).toEqual([]);
    expect(recipients()).toBe(asked);
    expect(await web.readiness()).toEqual({ status: 200 });

    const worker = await roles.start('worker');
    await worker.untilReady();
    await callback.until('delivered', 10_000);
    await vi.waitFor(
      async () => expect(await readBatch(web, headers, first)).toMatchObject({ message: COMPLETED }),
      {
        timeout: 10_000,
      },
    );
    // With both there, it takes no longer than the worker's pause between two looks.
    const began = performance.now();
    const second = await postBatch(web, headers, ['last@good.test']);
    await roles.world.server('good.test').whenSent(/last@good\.test/);
    expect(performance.now() - began).toBeLessThan(2_000);
    await vi.waitFor(
      async () => expect(await readBatch(web, headers, second)).toMatchObject({ message: COMPLETED }),
      { timeout: 10_000 },
    );
    expect(await creditsOf(db, accountId)).toBe(100 - 22);
    expect(await ledgerOf(db, accountId)).toMatchObject({ verification: 1, batch: 2 });
  });

  it('gives back what a dead process ran, and deletes nothing', async () => {
    const { accountId } = await roles.makeKey(5);
    const id = '3b241101-e2bb-4255-8caf-4136c566a962';
    const dead = { process_id: '3b241101-e2bb-4255-8caf-4136c566a963', alive_at: new Date(0) };
    await db.insertInto('processes').values({ id: dead.process_id, alive_at: dead.alive_at }).execute();
    const question = Buffer.alloc(32, 1).toString('hex');
    const request = {
      place: 0,
      id,
      account: accountId,
      question,
      process: dead.process_id,
      keep_seconds: 300,
    };
    await sql`select * from begin_verifications(${JSON.stringify([request])}::jsonb)`.execute(db);
    expect(await creditsOf(db, accountId)).toBe(4);
    const web = await roles.start('web');
    await expect.poll(() => creditsOf(db, accountId), { timeout: 20_000 }).toBe(5);
    // Workers forget processes that died more than a minute ago.
    const row = db.selectFrom('processes').select('id').where('id', '=', dead.process_id);
    expect(await row.execute()).toHaveLength(1);
    expect((await web.stop()).code).toBe(0);
    await db.deleteFrom('processes').where('id', '=', dead.process_id).execute();
  });
});

describe('a worker', () => {
  it('answers /healthz and /readyz, and nothing else', async () => {
    const worker = await roles.start('worker');
    expect(worker.output()).toBe(`listening on ${worker.address}\n`);
    await worker.untilReady();
    expect([await worker.statusOf('/healthz'), await worker.statusOf('/readyz')]).toEqual([200, 200]);
    const { headers } = await roles.makeKey(1);
    for (const path of [
      '/',
      '/v1/verify?email=jo@good.test',
      '/v1/batch',
      '/v2/',
      '/login',
      '/oauth/token',
      '/metrics',
    ]) {
      const answer = await fetch(worker.address + path, { headers });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toEqual({ message: expect.any(String) });
    }
    expect((await fetch(`${worker.address}/healthz`, { method: 'POST' })).status).toBe(405);
    expect(worker.events()).toContainEqual(expect.objectContaining({ level: 'warn', place: 'publicUrl' }));
  });

  it('sends callbacks with links that begin with publicUrl', async () => {
    const worker = await roles.start('worker', { publicUrl: 'https://verify.example' });
    const receiver = await startReceiver();
    const batch = await completeWithCallback(db, receiver.url);
    await receiver.until(1, 10_000);
    await batch.until('delivered');
    expect(worker.events()).not.toContainEqual(expect.objectContaining({ place: 'publicUrl' }));
  });
});

describe('a start that is not right ends with one sentence', () => {
  const port = ['--port', '0'];
  it.each([
    ['nonsense', { keys: [] }, /^Expected --role to be web, worker or all, got "nonsense"\.\n$/],
    [
      'worker',
      { keys: [{ key: 'test_private', kind: 'private' }] },
      /^Expected a database with the role worker, but there is none\..*\n$/,
    ],
    [
      'worker',
      { database: './data' },
      /^Expected the role all with a database in a folder, got worker\..*\n$/,
    ],
    ['web', { database: './data' }, /^Expected the role all with a database in a folder, got web\..*\n$/],
  ])('over the role %s with %j', async (role, config, sentence) => {
    const parameters = ['--config', writeConfig(config), ...port, '--role', role];
    const { status, stdout, stderr } = await runToEnd(parameters);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(sentence);
  });

  it('over a role of the config, which the command line replaces', async () => {
    const config = writeConfig({ role: 'worker', keys: [{ key: 'test_private', kind: 'private' }] });
    expect((await runToEnd(['--config', config, ...port])).status).toBe(2);
    const wrong = await runToEnd(['--config', writeConfig({ role: 'both', database: freePath() }), ...port]);
    expect(wrong.stderr).toContain('Expected role to be web, worker or all, got "both".');
    const sandbox = await roles.start('web', {
      role: 'worker',
      database: undefined,
      live: undefined,
      keys: [{ key: 'test_private', kind: 'private' }],
    });
    expect(await sandbox.statusOf('/readyz')).toBe(200);
  });

  it('over the demo with a role', async () => {
    const config = writeConfig({ role: 'web', database: freePath() });
    const { status, stderr } = await runToEnd(['--demo', '--config', config, ...port]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Expected --demo without a role/)]);
  });

  it('over a port for metrics that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const metrics = { port: (taken.address() as AddressInfo).port };
    const config = writeConfig({ keys: [{ key: 'test_private', kind: 'private' }], metrics });
    const { status, stdout, stderr } = await runToEnd(['--config', config, ...port]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^Expected port \d+ on 127\.0\.0\.1 to be free, .*metrics\.port in the config.*\n$/,
    );
  });
});

/** The roles `web` and `worker` on one database. */

import { createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { listenOnLoopback } from '../../loopback.ts';
import { creditsOf, ledgerOf } from '../support/account.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { startReceiver } from '../support/receiver.ts';
import { freePath } from '../support/room.ts';
import { runToEnd, writeConfig } from '../support/service-process.ts';
import { postBatch, prepareRoles, readBatch } from './processes.ts';

const database = await testDatabase();
const { db } = database;
const roles = await prepareRoles(database, { 'good.test': {} });
afterAll(() => roles.world.close());

const addresses = (count: number) => Array.from({ length: count }, (_, place) => `u${place}@good.test`);
const COMPLETED = 'Batch verification completed.';

describe('a web process', () => {
  // `../operations/metrics/service.test.ts` shows that it runs none of the jobs that work on them.
  it('verifies for requests, takes batches and leaves them to a worker', async () => {
    const web = await roles.run('web');
    await web.untilReady();
    const { headers, accountId } = await roles.makeKey(100);
    const verified = await fetch(`${web.address}/v1/verify?email=jo@good.test`, { headers });
    expect(await verified.json()).toMatchObject({ state: 'deliverable' });
    const first = await postBatch(web, headers, addresses(20));
    const sample = await postBatch(web, (await roles.makeKey(0, 'test')).headers, addresses(1_500));
    const receiver = await startReceiver();
    const callback = await completeWithCallback(db, receiver.url);
    expect(await readBatch(web, headers, first)).toMatchObject({ processed: 0 });
    const results = db.selectFrom('batch_rows').select('place').where('reason', 'is not', null);
    expect(await results.where('batch_id', '=', sample).execute()).toEqual([]);
    expect(receiver.received).toEqual([]);
    expect(await web.readiness()).toEqual({ status: 200 });

    const worker = await roles.run('worker');
    await worker.untilReady();
    await callback.until('delivered');
    const isCompleted = (id: string) => async () =>
      expect(await readBatch(web, headers, id)).toMatchObject({ message: COMPLETED });
    await vi.waitFor(isCompleted(first), PATIENTLY);
    const second = await postBatch(web, headers, ['last@good.test']);
    await roles.world.server('good.test').whenSent(/last@good\.test/);
    await vi.waitFor(isCompleted(second), PATIENTLY);
    expect(await creditsOf(db, accountId)).toBe(100 - 22);
    expect(await ledgerOf(db, accountId)).toMatchObject({ verification: 1, batch: 2 });
  });

  it('gives back what a dead process ran, and deletes nothing', async () => {
    const { accountId } = await roles.makeKey(5);
    const id = '3b241101-e2bb-4255-8caf-4136c566a962';
    const dead = { process_id: '3b241101-e2bb-4255-8caf-4136c566a963', alive_at: new Date(0) };
    await db.insertInto('processes').values({ id: dead.process_id, alive_at: dead.alive_at }).execute();
    const question = Buffer.alloc(32, 1).toString('hex');
    const request = { place: 0, id, account: accountId, question, process: dead.process_id };
    const requests = JSON.stringify([{ ...request, keep_seconds: 300 }]);
    await sql`select * from begin_verifications(${requests}::jsonb)`.execute(db);
    expect(await creditsOf(db, accountId)).toBe(4);
    const web = await roles.run('web');
    await vi.waitFor(async () => expect(await creditsOf(db, accountId)).toBe(5), PATIENTLY);
    // Workers forget processes that died more than a minute ago.
    await web.stop();
    const row = db.selectFrom('processes').select('id').where('id', '=', dead.process_id);
    expect(await row.execute()).toHaveLength(1);
    await db.deleteFrom('processes').where('id', '=', dead.process_id).execute();
  });
});

describe('a worker', () => {
  it('answers /healthz and /readyz and nothing else, and ends with exit code 0 at SIGTERM', async () => {
    const worker = await roles.start('worker');
    expect(worker.output()).toBe(`listening on ${worker.address}\n`);
    await worker.untilReady();
    expect([await worker.statusOf('/healthz'), await worker.statusOf('/readyz')]).toEqual([200, 200]);
    const { headers } = await roles.makeKey(1);
    const others = ['/', '/v1/batch', '/v2/', '/login', '/oauth/token', '/metrics'];
    for (const path of [...others, '/v1/verify?email=jo@good.test']) {
      const answer = await fetch(worker.address + path, { headers });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toEqual({ message: expect.any(String) });
    }
    expect((await fetch(`${worker.address}/healthz`, { method: 'POST' })).status).toBe(405);
    const warning = expect.objectContaining({ level: 'warn', place: 'publicUrl' });
    await vi.waitFor(() => expect(worker.events()).toContainEqual(warning), PATIENTLY);
    expect(await worker.stop()).toBe(0);
  });

  it('sends callbacks with links that begin with publicUrl', async () => {
    await roles.run('worker', { publicUrl: 'https://verify.example/path' });
    const receiver = await startReceiver();
    const batch = await completeWithCallback(db, receiver.url, { size: 1_001 });
    await batch.until('delivered');
    expect(receiver.received[0]!.body).toContain('"download_file":"https://verify.example/path/');
  });
});

describe('a start that is not right ends with one sentence', () => {
  const port = ['--port', '0'];
  it('over a role of the config, unless the command line replaces it', async () => {
    const keys = [{ key: 'test_private', kind: 'private' }];
    const config = writeConfig({ role: 'worker', keys });
    const { status, stdout, stderr } = await runToEnd(['--config', config, ...port]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Expected a database with the role worker, but there is none\..*\n$/);
    const sandbox = await roles.start('web', { role: 'worker', database: undefined, live: undefined, keys });
    expect(await sandbox.statusOf('/readyz')).toBe(200);
  });

  it('over the demo with a role', async () => {
    const config = writeConfig({ role: 'web', database: freePath() });
    const { status, stderr } = await runToEnd(['--demo', '--config', config, ...port]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Expected --demo without a role/)]);
  });

  it('over a port for metrics that is taken', async () => {
    const metrics = { port: await listenOnLoopback(createServer()) };
    const config = writeConfig({ keys: [{ key: 'test_private', kind: 'private' }], metrics });
    const { status, stdout, stderr } = await runToEnd(['--config', config, ...port]);
    expect([status, stdout]).toEqual([1, '']);
    const pattern = /^Expected port \d+ on 127\.0\.0\.1 to be free, .*metrics\.port in the config.*\n$/;
    expect(stderr).toMatch(pattern);
  });
});

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { startProcessHeartbeat } from '../../../src/service/jobs/process-heartbeat.ts';
import { forgetProcesses, touchProcess } from '../../../src/service/jobs/process-store.ts';
import { testDatabase } from '../support/database.ts';

const { db } = await testDatabase();

async function isAlive(processId: string): Promise<boolean> {
  const { rows } = await sql<{ alive: boolean }>`select is_process_alive(${processId}) as alive`.execute(db);
  return rows[0]!.alive;
}

async function silence(processId: string, seconds: number): Promise<void> {
  await sql`
    update processes set alive_at = alive_at - make_interval(secs => ${seconds}) where id = ${processId}
  `.execute(db);
}

it('is known when it has started, counts as dead after 10 seconds of silence, and comes back', async () => {
  const processId = randomUUID();
  expect(await isAlive(processId)).toBe(false);
  const heartbeat = await startProcessHeartbeat({ db, processId, log: silentLog, everyMs: 60_000 });
  await silence(processId, 5);
  expect(await isAlive(processId)).toBe(true);
  await silence(processId, 5);
  expect(await isAlive(processId)).toBe(false);
  await heartbeat.stop();

  const beating = await startProcessHeartbeat({ db, processId, log: silentLog, everyMs: 5 });
  await silence(processId, 70);
  await vi.waitUntil(() => isAlive(processId));
  await beating.stop();
});

it('makes its row again after another process has deleted it', async () => {
  const processId = randomUUID();
  const heartbeat = await startProcessHeartbeat({ db, processId, log: silentLog, everyMs: 5 });
  await sql`delete from processes where id = ${processId}`.execute(db);
  await vi.waitUntil(() => isAlive(processId));
  await heartbeat.stop();
});

it('says at once that the process has ended', async () => {
  const processId = randomUUID();
  const heartbeat = await startProcessHeartbeat({ db, processId, log: silentLog, everyMs: 5 });
  await heartbeat.stop();
  expect(await isAlive(processId)).toBe(false);
});

it('goes on after a beat has failed, and logs the failure', async () => {
  const processId = randomUUID();
  const log = vi.fn();
  const heartbeat = await startProcessHeartbeat({ db, processId, log, everyMs: 5 });
  await sql`alter table processes rename to hidden`.execute(db);
  await vi.waitUntil(() => log.mock.calls.length > 0);
  await sql`alter table hidden rename to processes`.execute(db);
  expect(log).toHaveBeenCalledWith('warn', 'heartbeat failed', expect.objectContaining({ error: '42P01' }));
  await silence(processId, 70);
  await vi.waitUntil(() => isAlive(processId));
  await heartbeat.stop();
});

it('forgets processes a minute after their last beat', async () => {
  const [dead, silent] = [randomUUID(), randomUUID()];
  for (const processId of [dead, silent]) {
    await touchProcess(db, processId);
  }
  await silence(dead, 61);
  await silence(silent, 59);
  await forgetProcesses(db);
  const rows = await db.selectFrom('processes').select('id').where('id', 'in', [dead, silent]).execute();
  expect(rows).toEqual([{ id: silent }]);
});

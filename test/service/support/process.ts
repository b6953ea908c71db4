/** Processes for tests: without a lock, or with one. */
import { sql } from 'kysely';
import { silentLog } from '../../../src/service/core/log.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import { openSession } from '../../../src/service/database/session.ts';
import { createProcessLease, type ProcessLease } from '../../../src/service/jobs/process-lease.ts';
import { touchProcess } from '../../../src/service/jobs/process-store.ts';

/**
 * Adds a process that the others take for alive until it is removed. It is like one of an earlier release, which has no
 * lock and lives by its beats: such a one is dead after 10 seconds, and a test may take longer on a busy machine.
 */
export async function addProcess(db: Db, id: string): Promise<void> {
  await touchProcess(db, id);
  await sql`update processes set alive_at = alive_at + interval '1 day' where id = ${id}`.execute(db);
}

/** A lease like that of a process of the service. It has started. */
export async function holdLease(url: string, processId: string, everyMs?: number): Promise<ProcessLease> {
  const lease = createProcessLease({
    ...{ processId, log: silentLog },
    openSession: () => openSession({ connectionString: url }),
  });
  await lease.start({ everyMs });
  return lease;
}

/** Ends the connections of a pool or a process, in the middle of a statement if there is one. */
export async function cutConnections(db: Db, name: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = ${name}
  `.execute(db);
}

/** Instead of waiting for seconds: a process is dead if its lock is free and its last beat is a while ago. */
export async function silence(db: Db, processId: string, seconds = 11): Promise<void> {
  await sql`
    update processes set alive_at = clock_timestamp() - make_interval(secs => ${seconds}) where id = ${processId}
  `.execute(db);
}

/** The same of all processes. */
export async function silenceAll(db: Db): Promise<void> {
  await sql`update processes set alive_at = clock_timestamp() - interval '11 seconds'`.execute(db);
}

/** The SQL of the service's processes. */
import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';

/** Records that the process is alive. Inserts its row again if another process has deleted it. */
export async function touchProcess(db: Db, processId: string): Promise<void> {
  await db
    .insertInto('processes')
    .values({ id: processId, alive_at: sql`clock_timestamp()` })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ alive_at: sql`clock_timestamp()` }))
    .execute();
}

/** Records that the process has ended. Others take over its work at once. */
export async function removeProcess(db: Db, processId: string): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', processId).execute();
}

/** A process of the service. */
export interface KnownProcess {
  readonly id: string;
  readonly started_at: Date;
  /** The time of its last heartbeat. */
  readonly alive_at: Date;
  readonly is_alive: boolean;
}

/** The processes that run, and those that died less than a minute ago. The oldest come first. */
export async function listProcesses(db: Db): Promise<KnownProcess[]> {
  return db
    .selectFrom('processes')
    .select(['id', 'started_at', 'alive_at', sql<boolean>`is_process_alive(id)`.as('is_alive')])
    .orderBy('started_at')
    .orderBy('id')
    .execute();
}

/** Deletes the processes that died more than a minute ago. */
export async function forgetProcesses(db: Db): Promise<void> {
  await db
    .deleteFrom('processes')
    .where('alive_at', '<', sql<Date>`clock_timestamp() - interval '1 minute'`)
    .execute();
}

/** Processes without a heartbeat, for tests. */
import { sql } from 'kysely';
import type { Db } from '../../../src/service/database/schema.ts';
import { touchProcess } from '../../../src/service/jobs/process-store.ts';

/**
 * Adds a process that the others take for alive until it is removed. They take a silent one for dead after 10 seconds, and
 * a test may take longer on a busy machine.
 */
export async function addProcess(db: Db, id: string): Promise<void> {
  await touchProcess(db, id);
  await sql`update processes set alive_at = alive_at + interval '1 day' where id = ${id}`.execute(db);
}

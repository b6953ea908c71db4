import { sql } from 'kysely';
import { vi } from 'vitest';
import type { Db } from '../../../src/service/database/schema.ts';
import { PATIENTLY } from './patience.ts';

/**
 * Waits until so many statements of other connections wait for a lock.
 *
 * @param name of the pool or the process whose statements count. @default all
 */
export async function untilBlocked(db: Db, { count = 1, name = '%' } = {}): Promise<void> {
  await vi.waitUntil(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and application_name like ${name}
    `.execute(db);
    return rows.length >= count;
  }, PATIENTLY);
}

import { createReadStream } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { readBackup } from '../../../src/service/database/backup/read-backup.ts';
import { restoreAsItWas } from '../../../src/service/database/backup/restore-backup.ts';

/**
 * Restores the database of a release as if it had been made today: whole days are added to all its moments and days.
 * Otherwise this version would delete, as it grows older, what the tests look for.
 *
 * @returns how many rows of each table the release had
 */
export async function restoreRelease<Tables>(
  db: Kysely<Tables>,
  release: string,
): Promise<Readonly<Record<string, number>>> {
  const backup = await readBackup(createReadStream(`test/service/upgrade/${release}.backup`));
  const counts = await restoreAsItWas(db, backup);
  const days = sql`floor(extract(epoch from clock_timestamp() - ${backup.head.createdAt}::timestamptz) / 86400)::integer`;
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select table_name as table, array_agg(column_name::text) as columns from information_schema.columns
    where table_schema = current_schema() and is_generated = 'NEVER'
      and data_type in ('timestamp with time zone', 'date')
    group by table_name
  `.execute(db);
  for (const { table, columns } of rows) {
    const moved = columns.map(
      (name) => sql`${sql.ref(name)} = ${sql.ref(name)} + make_interval(days => ${days})`,
    );
    await sql`update ${sql.table(table)} set ${sql.join(moved)}`.execute(db);
  }
  // The backup is up to a day older than today, and the results of test keys are kept for a day.
  await sql`update batches set expires_at = expires_at + interval '1 day'`.execute(db);
  return counts;
}

/** Fills tables with a million rows, without their triggers, which would take minutes. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../src/service/database/schema.ts';

/** In one session, in which the server ends no long statement. */
export async function fillQuickly(db: Db, ...statements: readonly RawBuilder<unknown>[]): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set session_replication_role = replica`.execute(connection);
    await sql`set statement_timeout = 0`.execute(connection);
    for (const statement of statements) await statement.execute(connection);
    await sql`reset statement_timeout`.execute(connection);
    await sql`reset session_replication_role`.execute(connection);
  });
  await sql`vacuum analyze`.execute(db);
  await sql`checkpoint`.execute(db).catch(() => {});
}

/** Reads the version of PostgreSQL. */
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** @returns the version as the server writes it, such as `15.18 (Debian 15.18-0+deb12u1)` */
export async function readServerVersion(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select current_setting('server_version') as version
  `.execute(db);
  return rows[0]!.version;
}

/** The file names for downloads of large batches. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The name is a secret, but it is stored in clear text, because every status of the batch contains it. A reader of
  // this table could also read the results themselves.
  `alter table batches
     add download_name text unique check (download_name ~ '^[A-Za-z0-9_-]{43}$')`,
  // Batches that are older than this migration. A digest of 244 random bits, as Base64url.
  `update batches
   set download_name = rtrim(translate(encode(sha256(convert_to(
     gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'
   )), 'base64'), '+/', '-_'), '=')
   where total > 1000`,
];

/** Adds the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

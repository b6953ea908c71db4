/** The names of the files that large batches are downloaded by. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The name is a secret, and yet it is stored as it is: the owner gets it with every status of the batch. Whoever can read
  // this table can read the results next to it as well.
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

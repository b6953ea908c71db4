/** Sign-ins with the right password that wait for the second factor. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `id` is the digest of the browser's cookie, `password_digest` that of the hash that the password was checked against.
  `create table half_sign_ins (
     id bytea primary key check (octet_length(id) = 32),
     person_id text not null references persons on delete cascade,
     password_digest bytea not null check (octet_length(password_digest) = 32),
     return_to text check (return_to ~ '^/'),
     created_at timestamptz not null default clock_timestamp(),
     expires_at timestamptz not null
   )`,
  `create index half_sign_ins_of_person on half_sign_ins (person_id, created_at)`,
  `create index half_sign_ins_ended on half_sign_ins (expires_at)`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** Keeps the keys that sign the proofs of results. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A key signs from its time to that of the next one. Its private number is sealed as other secrets are.
  // `proof_seconds`: how long its proofs last. It is published for an hour after the last one has ended.
  `create table proof_keys (
     id text primary key check (id ~ '^[A-Za-z0-9_-]{43}$'),
     x text not null check (x ~ '^[A-Za-z0-9_-]{43}$'),
     y text not null check (y ~ '^[A-Za-z0-9_-]{43}$'),
     private_key text,
     sealed_private_key text check (sealed_private_key ~ '^[0-9a-f]{16}\\.'),
     proof_seconds integer not null check (proof_seconds > 0),
     made_at timestamptz not null,
     signs_from timestamptz not null check (signs_from >= made_at),
     constraint proof_keys_one_secret check (num_nonnulls(private_key, sealed_private_key) = 1)
   );
   create index proof_keys_sealed on proof_keys (left(sealed_private_key, 16))
     where sealed_private_key is not null`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** Authenticator apps, whose codes are a second factor. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `last_step`: the time step of the last accepted code. A code of this step or an earlier one is never accepted again.
  // The code that confirms the set-up is the first.
  `create table authenticator_apps (
     id text primary key check (id ~ '^totp_'),
     person_id text not null references persons on delete cascade,
     secret text,
     sealed_secret text check (sealed_secret ~ '^[0-9a-f]{16}\\.'),
     last_step bigint,
     created_at timestamptz not null default clock_timestamp(),
     confirmed_at timestamptz,
     constraint authenticator_apps_one_secret check (num_nonnulls(secret, sealed_secret) = 1),
     constraint authenticator_apps_confirmed check ((confirmed_at is null) = (last_step is null))
   )`,
  // A person has one app, and may be about to set up another.
  `create unique index authenticator_apps_of_person on authenticator_apps (person_id, (confirmed_at is null))`,
  `create index authenticator_apps_unconfirmed on authenticator_apps (created_at) where confirmed_at is null`,
  `create index authenticator_apps_sealed on authenticator_apps (left(sealed_secret, 16))
     where sealed_secret is not null`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

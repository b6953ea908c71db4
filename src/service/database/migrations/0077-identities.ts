/** Identities of persons at an OpenID provider, and the sign-ins that have begun there. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A person has one identity at a provider. A second one with the same address would be somebody else's.
  `create table identities (
     issuer text not null check (issuer <> ''),
     subject text not null check (subject <> ''),
     person_id text not null references persons on delete cascade,
     created_at timestamptz not null default clock_timestamp(),
     primary key (issuer, subject),
     constraint identities_of_person unique (person_id, issuer)
   )`,
  // `person_id`: who confirms a session. Null for a sign-in. `sealed`: what the person has typed meanwhile.
  `create table provider_requests (
     state bytea primary key check (length(state) = 32),
     browser bytea not null check (length(browser) = 32),
     person_id text references persons on delete cascade,
     return_to text check (length(return_to) <= 8192),
     sealed bytea check (length(sealed) <= 65536),
     begun_at timestamptz not null default clock_timestamp(),
     expires_at timestamptz not null check (expires_at > begun_at),
     constraint provider_requests_sealed check (sealed is null or person_id is not null)
   );
   create index provider_requests_by_end on provider_requests (expires_at);
   create index provider_requests_of_person on provider_requests (person_id) where person_id is not null`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** What has changed of a person's ways in and accounts. The person sees it at the next sign-in. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `create table person_events (
     id bigint generated always as identity primary key,
     person_id text not null references persons on delete cascade,
     event text not null check (length(event) <= 50),
     subject text check (length(subject) <= 400),
     actor_kind text not null,
     actor_name text check (length(actor_name) <= 400),
     created_at timestamptz not null default clock_timestamp(),
     dismissed_at timestamptz
   )`,
  `create index person_events_of_person on person_events (person_id, created_at)`,
  `create index person_events_to_show on person_events (person_id) where dismissed_at is null`,
  `create index person_events_by_time on person_events (created_at)`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

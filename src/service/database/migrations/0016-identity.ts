/** Whose a client id is, where a code may go, and when a person last typed the password. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Who has ever had a client id. Rows are never deleted, so that nobody else gets the id of a deleted app.
  `create table client_ids (
     client_id text primary key check (client_id ~ '^[A-Za-z0-9_-]{10,64}$'),
     account_id text not null
   );
   insert into client_ids select client_id, account_id from apps`,
  // The redirect URI that the app sent, if it has another port than the registered one.
  `alter table authorization_codes add sent_uri text`,
  // When the person last typed the password in this session.
  `alter table sessions add authenticated_at timestamptz not null default clock_timestamp();
   update sessions set authenticated_at = created_at`,
];

/** Makes the tables and columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

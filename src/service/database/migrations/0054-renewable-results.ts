/** Keeps results that the same visitor of a public key may ask for again, with a new proof. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `id` is a digest of the question, the key and the visitor. All three are needed to open the outcome. No reference to
  // the account, whose row each insert would lock: it is the one that all its verifications change.
  `create table renewable_results (
     id bytea primary key,
     account_id text not null,
     question bytea not null,
     outcome bytea not null,
     expires_at timestamptz not null
   );
   create index renewable_results_of_question on renewable_results (account_id, question);
   create index renewable_results_ended on renewable_results (expires_at)`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** Remembers of each domain whether its mail servers accept every address. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // While a conversation asks, it has a claim. Then there is an answer, in which `accepts_all` is null if it says nothing.
  // `until`: the end of the claim, or of the time that the answer counts.
  `create table domain_facts (
     domain text primary key,
     organisation text not null,
     process_id uuid,
     claim_id uuid,
     learnt_at timestamptz,
     accepts_all boolean,
     server text,
     code smallint check (code between 200 and 599),
     until timestamptz not null,
     constraint domain_facts_claimed check (num_nonnulls(process_id, claim_id) in (0, 2)),
     constraint domain_facts_one_state check (num_nonnulls(claim_id, learnt_at) = 1),
     constraint domain_facts_learnt check (
       num_nonnulls(learnt_at, server) in (0, 2) and (learnt_at is not null or num_nonnulls(accepts_all, code) = 0)
     )
   );
   create index domain_facts_until on domain_facts (until)`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

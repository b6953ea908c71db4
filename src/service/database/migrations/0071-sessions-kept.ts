/** Whoever is signed in stays signed in: the sessions of an account become those of its owner. */
import { sql } from 'kysely';
import type { SchemaMigration } from '../migration.ts';

/** How many sessions a statement changes. Each of them may wait for it. */
const CHUNK = 1_000;

export const sessionsKept: SchemaMigration = {
  inSteps: true,
  async up(db) {
    const change = sql`
      with found as (
        select sessions.id, members.person_id from sessions
          join accounts on accounts.id = sessions.account_id
          join persons on persons.email_key = accounts.email_key
          join members on members.account_id = accounts.id and members.person_id = persons.id
        where sessions.person_id is null and members.role = 'owner'
        limit ${CHUNK}
      )
      update sessions set person_id = found.person_id, chosen_account_id = account_id
      from found where sessions.id = found.id
    `;
    while ((await change.execute(db)).numAffectedRows! > 0n);
  },
};

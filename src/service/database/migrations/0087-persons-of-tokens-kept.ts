/** What owners allowed before there were persons becomes theirs. */
import { sql } from 'kysely';
import type { SchemaMigration } from '../migration.ts';

/** How many tokens a statement changes. Each of them may wait for it. */
const CHUNK = 1_000;

export const personsOfTokensKept: SchemaMigration = {
  inSteps: true,
  async up(db) {
    const change = sql`
      with found as (
        select handle, members.person_id from token_families
          join accounts on accounts.id = token_families.account_id
          join persons on persons.email_key = accounts.email_key
          join members on members.account_id = accounts.id and members.person_id = persons.id
        where token_families.person_id is null and members.role = 'owner'
        limit ${CHUNK}
      )
      update token_families set person_id = found.person_id from found where token_families.handle = found.handle
    `;
    while ((await change.execute(db)).numAffectedRows! > 0n);
    for (const table of ['authorization_codes', 'device_requests', 'token_families'])
      await sql.raw(`alter table ${table} validate constraint ${table}_of_member`).execute(db);
  },
};

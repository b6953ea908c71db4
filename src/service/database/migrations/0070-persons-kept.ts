/** The owner of each account becomes a person, with the same address and the same password. */
import { sql } from 'kysely';
import type { SchemaMigration } from '../migration.ts';

/** How many accounts a statement reads. */
const CHUNK = 1_000;

export const personsKept: SchemaMigration = {
  inSteps: true,
  async up(db) {
    for (let last: string | undefined = ''; last !== undefined; ) {
      const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
        with found as (
          select id, 'per_' || substr(id, 5) as person_id, owner_email, email_key, password_hash, created_at
          from accounts where deleted_at is null and id > ${last} order by id limit ${CHUNK}
        ), made as (
          insert into persons (id, email, email_key, password_hash, created_at)
          select person_id, owner_email, email_key, nullif(password_hash, ''), created_at from found
          on conflict do nothing
        ), joined as (
          insert into members (account_id, person_id, role, created_at)
          select id, person_id, 'owner', created_at from found on conflict do nothing
        )
        select max(id) as last from found
      `.execute(db);
      last = rows[0]?.last ?? undefined;
    }
  },
};

/** Everything that grows has an end: closed ledgers, deleted accounts and batches, stopped batches. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  // The row stays until the housekeeping has deleted what belongs to it.
  `alter table accounts add deleted_at timestamptz`,
  // Without an account, a batch and a list are deleted, and their rows are yet to be.
  `alter table batches
     alter account_id drop not null,
     add stopped_after integer,
     add constraint batches_stopped_early check (
       stopped_after is null or stopped_after >= 0 and stopped_after < total and completed_at is not null
     ) not valid,
     add constraint batches_deleted_ended check (account_id is not null or expires_at is not null) not valid;
   alter table lists alter account_id drop not null`,
  `create table ledger_months (
     account_id text not null references accounts on delete cascade,
     month date not null check (extract(day from month) = 1),
     why text not null check (why in ('top-up', 'verification', 'refund', 'billing', 'batch', 'batch-refund')),
     amount bigint not null,
     count bigint not null check (count >= 1),
     primary key (account_id, month, why)
   )`,
  `alter table audit
     drop constraint audit_actor_check,
     add constraint audit_actor_check check (actor in ('owner', 'operator', 'service', 'key', 'app')) not valid`,
  // A batch also stores nothing any more when it loses its account.
  `create or replace function release_batch_storage() returns trigger language plpgsql as $$
   declare
     is_deleted boolean := new.account_id is null;
   begin
     update batch_storage set
       entries = entries - case
         when old.emptied_at is null and (is_deleted or new.emptied_at is not null) then old.stored_entries else 0
       end,
       open_batches = open_batches - case
         when old.completed_at is null and (is_deleted or new.completed_at is not null) then 1 else 0
       end
     where account_id = old.account_id and mode = old.mode;
     return null;
   end
   $$`,
  `drop trigger release_storage_of_batch on batches;
   create trigger release_storage_of_batch after update of account_id, completed_at, emptied_at on batches
     for each row when (old.stored_entries > 0 and (old.account_id is distinct from new.account_id
       or old.completed_at is distinct from new.completed_at or old.emptied_at is distinct from new.emptied_at))
     execute function release_batch_storage()`,
];

/** Makes the tables and columns. Their checks are validated, and the indexes built, by the next two migrations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'accounts', 'batches', 'lists', 'audit');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

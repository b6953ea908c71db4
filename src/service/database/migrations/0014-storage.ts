/** What the batches of an account store, so that no account fills the disk. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Null for the default.
  `alter table accounts
     add stored_entries integer check (stored_entries >= 1),
     add open_batches integer check (open_batches >= 1)`,
  // What a batch counts for while its rows are kept. An uploaded list may count more than its addresses.
  `alter table batches add stored_entries integer not null default 0 check (stored_entries >= 0)`,
  // The size of its rows as JSON. They are longer than those of a batch that has no list.
  `alter table lists add bytes bigint not null default 0 check (bytes >= 0)`,
  `create table batch_storage (
     account_id text not null references accounts on delete cascade,
     mode text not null check (mode in ('test', 'live')),
     -- Those of batches whose rows are kept.
     entries bigint not null check (entries >= 0),
     -- Batches that are not completed.
     open_batches integer not null check (open_batches >= 0),
     primary key (account_id, mode)
   ) with (fillfactor = 50)`,
  `update batches set stored_entries = total where emptied_at is null`,
  `insert into batch_storage
     select account_id, mode, sum(stored_entries), count(*) filter (where completed_at is null)
     from batches where stored_entries > 0 group by 1, 2`,
  // A trigger, because batches end in several ways. The statement that counts a batch also checks the limits, so it is
  // not part of it. When an account is deleted, its row may already be gone.
  `create function release_batch_storage() returns trigger language plpgsql as $$
   declare
     is_deleted boolean := tg_op = 'DELETE';
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
  `create trigger release_storage_of_batch after update of completed_at, emptied_at on batches for each row
     when (old.stored_entries > 0 and (old.completed_at is distinct from new.completed_at
       or old.emptied_at is distinct from new.emptied_at))
     execute function release_batch_storage();
   create trigger release_storage_of_deleted_batch after delete on batches for each row
     when (old.stored_entries > 0) execute function release_batch_storage()`,
];

/** Makes the tables and columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

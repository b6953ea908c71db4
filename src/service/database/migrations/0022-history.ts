/** What a callback must say of its batch, so that a look at callbacks reads no history of batches. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  // The next migration describes the earlier ones.
  `alter table callbacks
     add owner_id text,
     add receiver text,
     add made_at timestamptz,
     add has_results boolean not null default true,
     add is_ready boolean not null default false`,
  `create function describe_callback() returns trigger language plpgsql as $$
   begin
     select account_id, left(encode(sha256(convert_to(account_id || ' ' || url, 'UTF8')), 'hex'), 16), completed_at
     into new.owner_id, new.receiver, new.made_at
     from batches where id = new.batch_id;
     return new;
   end
   $$;
   create trigger describe_callback before insert on callbacks for each row execute function describe_callback()`,
  `create function end_callback_results() returns trigger language plpgsql as $$
   begin
     update callbacks set has_results = false where batch_id = new.id;
     return null;
   end
   $$`,
  `create function ready_callbacks(
     my_process uuid, most integer, most_of_account integer, most_of_receiver integer
   ) returns table (id text, place bigint) language plpgsql rows 100 as $$
   declare
     begin_at text := 'acc_' || gen_random_uuid();
     at_owner text := begin_at;
     at_receiver text;
     found_one text;
     has_wrapped boolean := false;
     owners text[] := '{}';
     taken integer;
     sent jsonb;
   begin
     select coalesce(jsonb_object_agg(name, count), '{}') into sent from (
       select owner_id as name, count(*) as count from callbacks where process_id = my_process group by owner_id
       union all
       select receiver, count(*) from callbacks where process_id = my_process group by receiver
     ) as counted;

     -- A process sends to few accounts at once, so few steps find one without room.
     for step in 1 .. most + 100 loop
       select owner_id into found_one from callbacks
       where is_ready and due_at is not null and owner_id > at_owner order by owner_id limit 1;
       exit when has_wrapped and (found_one is null or found_one > begin_at);
       has_wrapped := has_wrapped or found_one is null;
       at_owner := coalesce(found_one, '');
       if found_one is not null and coalesce((sent ->> found_one)::integer, 0) < most_of_account then
         owners := owners || found_one;
         exit when cardinality(owners) = most;
       end if;
     end loop;

     foreach at_owner in array owners loop
       begin_at := left(md5(begin_at), 16);
       at_receiver := begin_at;
       has_wrapped := false;
       taken := 0;
       for step in 1 .. most + 100 loop
         select receiver into found_one from callbacks
         where is_ready and due_at is not null and owner_id = at_owner and receiver > at_receiver
         order by receiver limit 1;
         exit when has_wrapped and (found_one is null or found_one > begin_at);
         has_wrapped := has_wrapped or found_one is null;
         at_receiver := coalesce(found_one, '');
         continue when found_one is null;
         return query
           select batch_id, row_number() over (order by due_at, batch_id) + coalesce((sent ->> found_one)::integer, 0)
           from callbacks
           where is_ready and due_at <= statement_timestamp() and owner_id = at_owner and receiver = found_one
           order by due_at, batch_id limit greatest(0, least(
             most_of_receiver - coalesce((sent ->> found_one)::integer, 0), ceil(most::numeric / cardinality(owners))
           ));
         taken := taken + found::integer;
         -- With fewer accounts than places, each may take more of them.
         exit when taken * cardinality(owners) >= most;
       end loop;
     end loop;
   end
   $$`,
];

const LAST = `create trigger end_callback_results after update of emptied_at on batches for each row
  when (old.emptied_at is null and new.emptied_at is not null) execute function end_callback_results()`;

/** Adds the columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'callbacks', 'batches');
  for (const statement of [...STATEMENTS, LAST]) await sql.raw(statement).execute(db);
}

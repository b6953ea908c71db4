-- The callbacks that a process may send next, of different accounts and receivers. `place` is a callback's number among
-- those of its receiver, with those that the process is sending.
--
-- It steps from one account to the next, and from one receiver to the next, so it takes as long for thousands of ready
-- callbacks as for a hundred. It begins anywhere, so that everybody's turn comes although nobody remembers whose was
-- last.
CREATE OR REPLACE FUNCTION ready_callbacks(
  my_process uuid,
  most integer,
  most_of_account integer,
  most_of_receiver integer
)
RETURNS TABLE(id text, place bigint)
LANGUAGE plpgsql
ROWS 100
AS $$
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
$$;

-- The processes that wait for a conversation with an organisation and have asked within a second. The others have stopped
-- asking. Times of a second ahead are of a clock that was set back.
CREATE OR REPLACE FUNCTION waits_seen(its_organisation text, at timestamp with time zone)
RETURNS TABLE(process_id uuid, since timestamp with time zone, in_background boolean)
LANGUAGE sql
STABLE
AS $$
select process_id, since, in_background from conversation_waits
where organisation = its_organisation and seen_at between at - interval '1 second' and at + interval '1 second'
$$;

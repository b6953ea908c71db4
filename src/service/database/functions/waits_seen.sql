-- The processes that wait for a conversation with an organisation and have asked within a second. The others have stopped
-- asking. Times of a second ahead are of a clock that was set back.
CREATE OR REPLACE FUNCTION waits_seen(its_organisation text, at timestamp with time zone)
RETURNS SETOF conversation_waits
LANGUAGE sql
STABLE
AS $$
select * from conversation_waits
where organisation = its_organisation and seen_at between at - interval '1 second' and at + interval '1 second'
$$;

-- Keeps one row for each organisation. A unique index of the organisation alone would compare a changed row with all of
-- its versions, while a snapshot is open.
CREATE OR REPLACE FUNCTION one_pace()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended(new.organisation, 64));
  perform from paces where organisation = new.organisation order by used_at desc limit 1;
  return case when found then null else new end;
end
$$;

CREATE TRIGGER one_pace BEFORE INSERT ON paces FOR EACH ROW EXECUTE FUNCTION one_pace();

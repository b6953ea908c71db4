/** All SQL of what a person is told at the next sign-in. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';

/** Longer texts are cut. */
const LONGEST = 400;
/** How many events of a person are kept. A thief of the session must not be able to push the first ones out, so they stay. */
const MOST_EVENTS = 1_000;

export interface StoredEvent {
  readonly personId: string;
  readonly event: string;
  readonly subject: string | null;
  readonly actorKind: string;
  readonly actorName: string | null;
}

/** Stores nothing for a person who does not exist. */
export async function insertPersonEvent(
  db: Db,
  { personId, event, subject, actorKind, actorName }: StoredEvent,
): Promise<void> {
  await sql`
    insert into person_events (person_id, event, subject, actor_kind, actor_name)
    select id, ${event}, left(${subject}, ${LONGEST}), ${actorKind}, left(${actorName}, ${LONGEST})
    from persons where id = ${personId}
      and (select count(*) from person_events where person_id = ${personId}) < ${MOST_EVENTS}
  `.execute(db);
}

/** An event as the person sees it. */
export interface ListedEvent {
  readonly event: string;
  readonly subject: string | null;
  readonly actor_kind: string;
  readonly actor_name: string | null;
  readonly created_at: Date;
}

const LISTED = ['event', 'subject', 'actor_kind', 'actor_name', 'person_events.created_at'] as const;

/** What has changed before a session began, and was not dismissed. The latest first. */
export async function listNews(db: Db, sessionId: Buffer, limit: number): Promise<ListedEvent[]> {
  return db
    .selectFrom('person_events')
    .innerJoin('sessions', 'sessions.person_id', 'person_events.person_id')
    .select(LISTED)
    .where('sessions.id', '=', sessionId)
    .where('dismissed_at', 'is', null)
    .whereRef('person_events.created_at', '<', 'sessions.created_at')
    .orderBy('person_events.created_at', 'desc')
    .orderBy('person_events.id', 'desc')
    .limit(limit)
    .execute();
}

/** Dismisses what the session has shown. */
export async function dismissNews(db: Db, sessionId: Buffer): Promise<void> {
  await sql`
    update person_events set dismissed_at = clock_timestamp()
    from sessions
    where sessions.id = ${sessionId} and person_events.person_id = sessions.person_id
      and dismissed_at is null and person_events.created_at < sessions.created_at
  `.execute(db);
}

/** The latest changes of a person, dismissed or not. */
export async function listPersonEvents(db: Db, personId: string, limit: number): Promise<ListedEvent[]> {
  return db
    .selectFrom('person_events')
    .select(LISTED)
    .where('person_id', '=', personId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Deletes some old events. @param kept for how many seconds they stay @returns whether there may be more */
export const forgetPersonEvents = (db: Db, kept: number): Promise<boolean> =>
  deleteSome(db, 'person_events', sql`created_at < statement_timestamp() - make_interval(secs => ${kept})`);

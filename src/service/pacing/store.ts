/** The SQL of holding back. The clock is the database's, because the clocks of the processes differ. */
import { sql } from 'kysely';
import type { PaceLimits } from '../../engine/pacing/pace.ts';
import type { HeldBack } from '../../engine/pacing/pacing.ts';
import type { Db } from '../database/schema.ts';

/** The end of a conversation. One that never began is `unused`, and tells nothing about the server. */
export interface Ending {
  readonly id: string;
  readonly how: 'well' | 'slow down' | 'unused';
}

/** What one process has to say and to ask about one organisation. */
export interface Round {
  readonly organisation: string;
  readonly limits: PaceLimits;
  /** Whether the conversations that are to begin are in the background. */
  readonly inBackground: boolean;
  /** For the conversations that are to begin. As many as possible of the first ones do. */
  readonly ids: readonly string[];
  /** How long each of them has waited. */
  readonly waitedMs: readonly number[];
  readonly endings: readonly Ending[];
}

export interface RoundResult {
  /** How many conversations begin. */
  readonly begun: number;
  /** Why none begins. Null if some do, or if none was to begin. */
  readonly held_back: HeldBack | null;
  /** How long that lasts, or 0 if that is not known. */
  readonly wait_ms: number;
  /** Whether other processes have somebody who waits for a conversation to end, and not in the background. */
  readonly is_wanted_elsewhere: boolean;
}

/** @param at the time, for tests. By default it is the database's. */
export async function paceAll(
  db: Db,
  processId: string,
  rounds: readonly Round[],
  at?: Date,
): Promise<RoundResult[]> {
  const requests = rounds.map(({ organisation, limits, inBackground, ids, waitedMs, endings }, place) => ({
    place,
    organisation,
    connections: limits.connections,
    per_minute: limits.perMinute,
    in_background: inBackground,
    ids,
    waited_ms: waitedMs,
    endings,
  }));
  const { rows } = await sql<RoundResult & { place: number }>`
    select * from pace_organisations(${processId}, ${JSON.stringify(requests)}::jsonb, ${at ?? null}::timestamptz)
  `.execute(db);
  const results: RoundResult[] = [];
  for (const row of rows) results[row.place] = row;
  return results;
}

/** The conversations of a process, according to the database. */
export async function conversationsOf(db: Db, processId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('conversations')
    .select('id')
    .where('process_id', '=', processId)
    .execute();
  return rows.map(({ id }) => id);
}

/** The conversations that a process holds. */
export interface Held {
  readonly process_id: string;
  readonly count: number;
  /** When the oldest one began. */
  readonly since: Date;
}

/** The conversations of all processes that are alive. */
export async function readConversations(db: Db): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select process_id, count(*) as count, min(begun_at) as since from conversations
    where is_process_alive(process_id) group by process_id order by process_id
  `.execute(db);
  return rows;
}

export async function removeConversations(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('conversations').where('id', 'in', ids).execute();
}

/**
 * Deletes what dead processes have left, and organisations about which there is nothing left to know.
 *
 * @param at the time, for tests. By default it is the database's.
 */
export async function forgetPaces(db: Db, at?: Date): Promise<void> {
  const now = at ? sql<Date>`${at}::timestamptz` : sql<Date>`clock_timestamp()`;
  await sql`
    delete from conversations where not exists (select from processes where processes.id = process_id)
  `.execute(db);
  await sql`delete from conversation_queues where seen_at < ${now} - interval '1 minute'`.execute(db);
  // What a process uses at the moment is locked, or has been used since.
  await sql`
    delete from paces where organisation in (
      select organisation from paces as quiet
      where used_at < ${now} - interval '61 seconds'
        and (paused_until is null or paused_until < ${now} - interval '10 minutes')
        and not exists (select from conversations where conversations.organisation = quiet.organisation)
      for update skip locked
    )
  `.execute(db);
}

/** An organisation that is left alone for a while, because its servers have asked for it. */
export interface Pause {
  readonly organisation: string;
  readonly until: Date;
}

const MOST_PAUSES = 1_000;

/** The pauses that go on now, the longest first. */
export async function readPauses(db: Db): Promise<Pause[]> {
  return db
    .selectFrom('paces')
    .select(['organisation', 'paused_until as until'])
    .where('paused_until', '>', sql<Date>`clock_timestamp()`)
    .orderBy('paused_until', 'desc')
    .limit(MOST_PAUSES)
    .$narrowType<Pause>()
    .execute();
}

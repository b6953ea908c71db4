/** The SQL of pacing. It uses the database's clock, because the clocks of the processes differ. */
import { sql } from 'kysely';
import type { PaceLimits } from '../../../engine/pacing/pace.ts';
import type { HeldBack } from '../../../engine/pacing/pacing.ts';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';

/** The end of a conversation. One that never began is `unused`, and says nothing about the server. */
export interface Ending {
  readonly id: string;
  readonly how: 'well' | 'slow down' | 'unused';
}

/** The reports and requests of one process about one organisation. */
export interface Round {
  readonly organisation: string;
  /** Where the row of the organisation was last. It may be found there. */
  readonly row?: string | null | undefined;
  readonly limits: PaceLimits;
  /** Whether the requested conversations are in the background. */
  readonly inBackground: boolean;
  /** The requested conversations. As many as possible begin, in this order. */
  readonly ids: readonly string[];
  /** How long each of them has waited. */
  readonly waitedMs: readonly number[];
  readonly endings: readonly Ending[];
}

export interface RoundResult {
  /** How many conversations may begin. */
  readonly begun: number;
  /** Why no conversation may begin. Null if some may, or if none was requested. */
  readonly held_back: HeldBack | null;
  /** How long to wait, or 0 if unknown. */
  readonly wait_ms: number;
  /**
   * Whether another process waits for a conversation to end. In the background, this counts only if that process has no
   * conversation, and has waited for some seconds.
   */
  readonly is_wanted_elsewhere: boolean;
  /** Where the row of the organisation is now. */
  readonly pace_row: string | null;
}

/**
 * How long a process without a conversation waits until a background one of another process ends for it. If it waited
 * less, conversations would verify only a few addresses each.
 */
const BACKGROUND_WAIT_S = 3;

/** @param at the time, for tests. By default it is the database's. */
export async function paceAll(
  db: Db,
  processId: string,
  rounds: readonly Round[],
  at?: Date,
): Promise<RoundResult[]> {
  const requests = rounds.map(
    ({ organisation, row, limits, inBackground, ids, waitedMs, endings }, place) => ({
      place,
      organisation,
      pace_row: row,
      connections: limits.connections,
      per_minute: limits.perMinute,
      in_background: inBackground,
      ids,
      waited_ms: waitedMs,
      endings,
    }),
  );
  const now = sql`coalesce(${at ?? null}::timestamptz, clock_timestamp())`;
  const { rows } = await sql<RoundResult & { place: number }>`
    select place, begun, held_back, wait_ms, pace_row, is_wanted_elsewhere or exists (
      select from conversation_queues as queue
      where queue.organisation = (${rounds.map(({ organisation }) => organisation)}::text[])[place + 1]
        and process_id <> ${processId} and in_background
        and seen_at between ${now} - interval '1 second' and ${now} + interval '1 second'
        and since <= ${now} - make_interval(secs => ${BACKGROUND_WAIT_S})
        and not exists (
          select from conversations
          where conversations.organisation = queue.organisation and conversations.process_id = queue.process_id
        )
    ) as is_wanted_elsewhere
    from pace_rounds(${processId}, ${JSON.stringify(requests)}::jsonb, ${at ?? null}::timestamptz)
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

/** The conversations of all living processes. */
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
 * Deletes some leftovers of dead processes, and organisations without recent facts.
 *
 * @param at the time, for tests. By default it is the database's. @returns whether there may be more
 */
export async function forgetPaces(db: Db, at?: Date): Promise<boolean> {
  const now = at ? sql<Date>`${at}::timestamptz` : sql<Date>`statement_timestamp()`;
  const isDead = sql<boolean>`not exists (select from processes where processes.id = process_id)`;
  const hasConversations = await deleteSome(db, 'conversations', isDead);
  const hasQueues = await deleteSome(db, 'conversation_queues', sql`seen_at < ${now} - interval '1 minute'`);
  // Rows in use are locked or were used recently.
  const hasPaces = await deleteSome(
    db,
    'paces',
    sql`used_at < ${now} - interval '61 seconds'
      and (paused_until is null or paused_until < ${now} - interval '10 minutes')
      and not exists (select from conversations where conversations.organisation = paces.organisation)`,
  );
  return hasConversations || hasQueues || hasPaces;
}

/** An organisation whose servers have asked for a pause. */
export interface Pause {
  readonly organisation: string;
  readonly until: Date;
}

const MOST_PAUSES = 1_000;

/** The current pauses, longest first. */
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

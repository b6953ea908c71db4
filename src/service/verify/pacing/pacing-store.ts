/** The SQL of pacing. It uses the database's clock, because the clocks of the processes differ. */
import { sql } from 'kysely';
import type { PaceLimits } from '../../../engine/pacing/pace.ts';
import type { HeldBack } from '../../../engine/pacing/pacing.ts';
import { deleteSome, withIndex } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';

/** The end of a conversation. One that never began is `unused`, and says nothing about the server. */
export type Ending = { readonly id: string; readonly how: 'well' | 'slow down' | 'unused' };

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

/** @param at the time, for tests. By default it is the database's. */
export async function paceAll(
  db: Db,
  processId: string,
  rounds: readonly Round[],
  at?: Date,
): Promise<RoundResult[]> {
  const requests = rounds.map(({ organisation, row, limits, ids, endings, ...round }, place) => ({
    ...{ place, organisation, pace_row: row, connections: limits.connections, per_minute: limits.perMinute },
    ...{ in_background: round.inBackground, ids, waited_ms: round.waitedMs, endings },
  }));
  const { rows } = await sql<RoundResult & { place: number }>`
    select place, begun, held_back, wait_ms, pace_row, is_wanted_elsewhere
    from pace_rounds(${processId}, ${JSON.stringify(requests)}::jsonb, ${at ?? null}::timestamptz)
  `.execute(db);
  const results: RoundResult[] = [];
  for (const row of rows) results[row.place] = row;
  return results;
}

/** The conversations of a process, according to the database. */
export async function conversationsOf(db: Db, processId: string): Promise<string[]> {
  const own = await db.selectFrom('conversations').select('id').where('process_id', '=', processId).execute();
  return own.map(({ id }) => id);
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

/** How many organisations are looked at in a statement. */
const MOST_LOOKED_AT = 1_000;
/** How old a wait must be to be deleted, and how old it may be if earlier looks have deleted all older ones. */
const WAIT_ENDS_S = 60;
const LATEST_LOOK_S = 600;

/** Where the last look ended. */
type Look = { readonly last: string | null; readonly count: number };

/**
 * Deletes leftovers of dead processes, and organisations without recent facts. Each call looks at some organisations, and
 * the next one goes on behind them. Their rows are found as in pacing: newest first, so that an open snapshot, which keeps
 * all former versions, costs nothing. Therefore only the first round looks for waits of any age.
 *
 * @param at the time, for tests. By default it is the database's
 * @returns a step that says whether the first round goes on
 */
export function createForgetPaces(db: Db, at?: Date): () => Promise<boolean> {
  let after = '';
  let isFirstRound = true;
  return async () => {
    // What processes of earlier releases have left.
    if (isFirstRound)
      await deleteSome(db, 'conversation_queues', sql`seen_at < ${nowOr(at)} - interval '1 minute'`);
    const { last, count } = await forgetPacesAfter(db, after, isFirstRound, at);
    const isOver = last === null || count < MOST_LOOKED_AT;
    after = isOver ? '' : last;
    if (isOver) isFirstRound = false;
    return isFirstRound;
  };
}

const nowOr = (at: Date | undefined) =>
  at ? sql<Date>`${at}::timestamptz` : sql<Date>`statement_timestamp()`;

async function forgetPacesAfter(db: Db, after: string, isFirst: boolean, at?: Date): Promise<Look> {
  const now = nowOr(at);
  const oldest = isFirst ? sql`'-infinity'` : sql`${now} - make_interval(secs => ${LATEST_LOOK_S})`;
  // The rows of so many organisations, each where it is now.
  const newest = sql`newest as (
    (
      select organisation, ctid as row, oldest, 1 as number from paces
      where organisation > ${after} order by organisation, used_at desc limit 1
    )
    union all
    select next.*, number + 1 from newest, lateral (
      select paces.organisation, ctid, paces.oldest from paces
      where paces.organisation > newest.organisation order by paces.organisation, paces.used_at desc limit 1
    ) as next where number < ${MOST_LOOKED_AT}
  )`;
  return withIndex(db, async (transaction) => {
    const { rows } = await sql<Look>`
      with recursive ${newest}, ended as (
        delete from conversations where ctid = any(array(
          select found.row from newest, lateral (
            select ctid as row, process_id from conversations
            where conversations.organisation = newest.organisation
              and begun_at >= coalesce(newest.oldest, '-infinity')
            order by begun_at offset 0
          ) as found
          where not exists (select from processes where processes.id = found.process_id)
        ))
      ), passed as (
        delete from conversation_waits where ctid = any(array(
          select found.row from newest, lateral (
            select ctid as row from conversation_waits
            where conversation_waits.organisation = newest.organisation
              and seen_at >= ${oldest} and seen_at < ${now} - make_interval(secs => ${WAIT_ENDS_S})
            for update skip locked
          ) as found
        ))
      )
      select max(organisation) as last, count(*)::integer as count from newest
    `.execute(transaction);
    await sql`
      with recursive ${newest}
      delete from paces where ctid = any(array(
        -- Rows in use are locked or were used recently.
        select paces.ctid from newest join paces on paces.ctid = newest.row
        where paces.used_at < ${now} - interval '61 seconds'
          and (paces.paused_until is null or paces.paused_until < ${now} - interval '10 minutes')
          and not exists (
            select from conversations
            where conversations.organisation = paces.organisation
              and begun_at >= coalesce(paces.oldest, '-infinity')
          )
        for update of paces skip locked
      ))
    `.execute(transaction);
    return rows[0]!;
  });
}

/** An organisation whose servers have asked for a pause. */
export type Pause = { readonly organisation: string; readonly until: Date };

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

/** The SQL of live verifications. */
import { sql } from 'kysely';
import { coalesce } from '../../database/coalesce.ts';
import type { Db } from '../../database/schema.ts';
import { type RateCount, rateCount } from '../../limits/rate-limit.ts';

/** The parameters of a start. */
export interface Beginning {
  /** The id of the verification if it starts. */
  readonly id: string;
  readonly accountId: string;
  readonly question: Buffer;
  readonly processId: string;
  /** How long a result is free for the same question after a 249. */
  readonly keepSeconds: number;
  /** A verification whose row says that it runs, but whose process is dead. It is refunded. */
  readonly orphanId?: string | undefined;
  /** Counts the request as well. */
  readonly rate?: { readonly endpoint: string; readonly limit: number } | undefined;
}

/** The outcome of a start. The request is counted in every case. */
export type Begun = { readonly rate?: RateCount } & (
  | { readonly answer: 'started' | 'running'; readonly id: string }
  | { readonly answer: 'kept'; readonly outcome: Buffer }
  | { readonly answer: 'no credits'; readonly available: number }
  | { readonly answer: 'rate exceeded' | 'no account' }
);

interface BegunRow {
  place: number;
  answer: Begun['answer'];
  verification_id: string;
  kept_outcome: Buffer;
  credits: number;
  requests_in_second: number;
  resets_at: Date;
}

/** Requests lock their accounts, so two round trips at once mostly wait for each other. */
const COALESCED = { atOnce: 3, most: 50, patienceMs: 50 };

/** The two database calls of every live verification. Simultaneous requests share a round trip. */
export interface VerificationCalls {
  /**
   * Takes a credit and inserts the row of a verification, unless the question is already running or its result is kept.
   */
  begin(beginning: Beginning): Promise<Begun>;
  /** Ends a verification once. The result is kept if a request joined or got a 249. */
  finish(finish: Finish): Promise<Ending>;
}

/** Each process has one. */
export function coalesceCalls(db: Db): VerificationCalls {
  return {
    begin: coalesce((items: readonly Beginning[]) => beginAll(db, items), COALESCED),
    finish: coalesce((items: readonly Finish[]) => finishAll(db, items), COALESCED),
  };
}

async function beginAll(db: Db, beginnings: readonly Beginning[]): Promise<Begun[]> {
  const requests = beginnings.map(
    ({ id, accountId, question, processId, keepSeconds, orphanId, rate }, place) => ({
      place,
      id,
      account: accountId,
      question: question.toString('hex'),
      process: processId,
      keep_seconds: keepSeconds,
      orphan: orphanId,
      rate_endpoint: rate?.endpoint,
      rate_limit: rate?.limit,
    }),
  );
  const { rows } = await sql<BegunRow>`
    select * from begin_verifications(${JSON.stringify(requests)}::jsonb)
  `.execute(db);
  const begun: Begun[] = [];
  for (const row of rows) begun[row.place] = toBegun(row, beginnings[row.place]!.rate?.limit);
  return begun;
}

function toBegun(row: BegunRow, limit: number | undefined): Begun {
  const { answer } = row;
  const counted =
    limit === undefined ? {} : { rate: rateCount(row.requests_in_second, limit, row.resets_at) };
  switch (answer) {
    case 'started':
    case 'running':
      return { answer, id: row.verification_id, ...counted };
    case 'kept':
      return { answer, outcome: row.kept_outcome, ...counted };
    case 'no credits':
      return { answer, available: row.credits, ...counted };
    default:
      return { answer, ...counted };
  }
}

/**
 * The outcome of an end. `lost`: another process has already refunded the verification. `outcome needed`: the end was
 * not recorded, because a request needs the sealed outcome, which was omitted.
 */
export type Ending = 'ended' | 'lost' | 'outcome needed';

/** How a verification ends. */
export interface Finish {
  readonly id: string;
  readonly accountId: string;
  /** Whether the credit is refunded. */
  readonly givesBack: boolean;
  /** Whether a request got a 249. */
  readonly isPromised: boolean;
  /** Whether there is an outcome to keep. */
  readonly hasOutcome: boolean;
  /** The sealed outcome. It may be omitted until it is needed. */
  readonly outcome?: Buffer | undefined;
  /** The response to store for an `Idempotency-Key` in the same transaction. */
  readonly response?: { readonly key: string; readonly body: string } | undefined;
}

async function finishAll(db: Db, finishes: readonly Finish[]): Promise<Ending[]> {
  const requests = finishes.map(({ id, accountId, outcome, response, ...finish }, place) => ({
    place,
    id,
    account: accountId,
    gives_back: finish.givesBack,
    is_promised: finish.isPromised,
    has_outcome: finish.hasOutcome,
    outcome: outcome?.toString('hex'),
    response_key: response?.key,
    response_body: response?.body,
  }));
  const { rows } = await sql<{ place: number; ending: Ending }>`
    select * from end_verifications(${JSON.stringify(requests)}::jsonb)
  `.execute(db);
  const endings: Ending[] = [];
  for (const { place, ending } of rows) endings[place] = ending;
  return endings;
}

/**
 * Records that a request got a 249, so that the result will be free for the same question.
 *
 * @returns the sealed result if it is already there. Respond with it instead of the 249.
 */
export async function promiseResult(db: Db, id: string): Promise<Buffer | undefined> {
  const row = await db
    .updateTable('verifications')
    .set({ is_promised: sql<boolean>`is_promised or state = 'running'` })
    .where('id', '=', id)
    .returning('outcome')
    .executeTakeFirst();
  return row?.outcome ?? undefined;
}

/** The current state of a question. */
export interface Recallable {
  readonly state: 'running' | 'kept';
  readonly is_alive: boolean;
  readonly outcome: Buffer | null;
}

/** The latest running or kept verification of a question. One that other requests may use comes first. */
export async function findRecallable(
  db: Db,
  accountId: string,
  question: Buffer,
): Promise<Recallable | undefined> {
  return db
    .selectFrom('verifications')
    .select(['state', sql<boolean>`is_process_alive(process_id)`.as('is_alive'), 'outcome'])
    .where('account_id', '=', accountId)
    .where('question', '=', question)
    .orderBy(sql`state = 'kept' and is_promised`, 'desc')
    .orderBy(sql`state = 'running'`, 'desc')
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** A verification, as seen by other requests. */
export interface Look {
  readonly id: string;
  readonly process_id: string;
  readonly is_alive: boolean;
  readonly outcome: Buffer | null;
}

/** The verifications with these ids that still exist. */
export async function lookAtVerifications(db: Db, ids: readonly string[]): Promise<Look[]> {
  return await db
    .selectFrom('verifications')
    .select(['id', 'process_id', 'outcome', sql<boolean>`is_process_alive(process_id)`.as('is_alive')])
    .where('id', 'in', ids)
    .execute();
}

/**
 * Refunds up to 100 running verifications of dead processes. Several processes may do it at once.
 *
 * @returns how many it found, and how many of them no other process had refunded meanwhile
 */
export async function refundDead(db: Db): Promise<{ readonly found: number; readonly refunded: number }> {
  // All lock the accounts in the same order.
  const { rows } = await sql<{ is_mine: boolean }>`
    select finish_verification(id, account_id, true, false, null, null, null) as is_mine from (
      select id, account_id from verifications
      where state = 'running' and not is_process_alive(process_id)
      order by account_id, id limit 100
    ) as dead
  `.execute(db);
  return { found: rows.length, refunded: rows.filter(({ is_mine }) => is_mine).length };
}

/** Running verifications that have something in common. */
export interface Running {
  readonly is_alive: boolean;
  readonly count: number;
  /** When the oldest one began. */
  readonly since: Date;
}

/** All running verifications, including those of dead processes. */
export async function readRunning(db: Db): Promise<Running[]> {
  const { rows } = await sql<Running>`
    select is_alive, count(*) as count, min(started_at) as since from (
      select started_at, is_process_alive(process_id) as is_alive
      from verifications where state = 'running'
    ) as running
    group by is_alive order by is_alive desc
  `.execute(db);
  return rows;
}

/** The running verifications of a process, according to the database. */
export async function runningOf(db: Db, processId: string): Promise<{ id: string; account_id: string }[]> {
  return await db
    .selectFrom('verifications')
    .select(['id', 'account_id'])
    .where('state', '=', 'running')
    .where('process_id', '=', processId)
    .execute();
}

/** How many verifications of these questions run or are kept. */
export async function countVerifications(
  db: Db,
  accountId: string,
  questions: readonly Buffer[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from verifications
    where account_id = ${accountId} and question = any(${questions}::bytea[])
  `.execute(db);
  return rows[0]!.count;
}

/** Deletes kept results. Requests that joined have 30 seconds more to read them. */
export async function forgetKept(db: Db): Promise<void> {
  await db
    .deleteFrom('verifications')
    .where('state', '=', 'kept')
    .where('expires_at', '<', sql<Date>`clock_timestamp() - interval '30 seconds'`)
    .execute();
}

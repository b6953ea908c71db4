/** The SQL of live verifications. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { type RateCount, rateCount } from '../../limits/rate-limit.ts';

/** What a request needs to begin a verification. */
export interface Beginning {
  /** The id of the verification if it starts. */
  readonly id: string;
  readonly accountId: string;
  readonly question: Buffer;
  readonly processId: string;
  /** How long a result is free for the same question after a 249. */
  readonly keepSeconds: number;
  /** A verification that runs according to its row, but that no process runs. It is given back. */
  readonly orphanId?: string | undefined;
  /** Counts the request as well. */
  readonly rate?: { readonly endpoint: string; readonly limit: number } | undefined;
}

/** What comes of it. The request is counted whatever comes of it. */
export type Begun = { readonly rate?: RateCount } & (
  | { readonly answer: 'started' | 'running'; readonly id: string }
  | { readonly answer: 'kept'; readonly outcome: Buffer }
  | { readonly answer: 'no credits'; readonly available: number }
  | { readonly answer: 'rate exceeded' | 'no account' }
);

interface BegunRow {
  answer: Begun['answer'];
  verification_id: string;
  kept_outcome: Buffer;
  credits: number;
  requests: number;
  resets_at: Date;
}

/** Takes a credit and makes the row of a verification, unless the question runs already or its result is kept. */
export async function beginVerification(db: Db, beginning: Beginning): Promise<Begun> {
  const { id, accountId, question, processId, keepSeconds, orphanId = null, rate } = beginning;
  const { rows } = await sql<BegunRow>`
    select * from begin_verification(
      ${id}, ${accountId}, ${question}, ${processId}, ${keepSeconds},
      ${orphanId}, ${rate?.endpoint ?? null}, ${rate?.limit ?? null}
    )
  `.execute(db);
  const row = rows[0]!;
  const counted = rate ? { rate: rateCount(row.requests, rate.limit, row.resets_at) } : {};
  switch (row.answer) {
    case 'started':
    case 'running':
      return { answer: row.answer, id: row.verification_id, ...counted };
    case 'kept':
      return { answer: row.answer, outcome: row.kept_outcome, ...counted };
    case 'no credits':
      return { answer: row.answer, available: row.credits, ...counted };
    default:
      return { answer: row.answer, ...counted };
  }
}

/** How a verification ends. */
export interface Finish {
  readonly id: string;
  readonly accountId: string;
  /** Whether the credit is refunded. */
  readonly givesBack: boolean;
  /** Whether a request got a 249. */
  readonly isPromised: boolean;
  /** The sealed result. Without one, there is nothing to keep. */
  readonly outcome?: Buffer;
  /** The response to store for an `Idempotency-Key` in the same transaction. */
  readonly response?: { readonly key: string; readonly body: string } | undefined;
}

/**
 * Ends a verification once. The result is kept if a request joined or got a 249.
 *
 * @returns false if another process has given it back before
 */
export async function finishVerification(db: Db, finish: Finish): Promise<boolean> {
  const { id, accountId, givesBack, isPromised, outcome = null, response } = finish;
  const { rows } = await sql<{ is_finished: boolean }>`
    select finish_verification(
      ${id}, ${accountId}, ${givesBack}, ${isPromised}, ${outcome},
      ${response?.key ?? null}, ${response?.body ?? null}
    ) as is_finished
  `.execute(db);
  return rows[0]!.is_finished;
}

/**
 * Says that a request got a 249, so that the result will be free for the same question.
 *
 * @returns the sealed result if there is one already. Then answer with it instead.
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

/** A verification as other requests see it. */
export interface Look {
  readonly id: string;
  readonly process_id: string;
  readonly is_alive: boolean;
  readonly outcome: Buffer | null;
}

/** The verifications with these ids, without those that have gone. */
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
 * @returns how many it found
 */
export async function giveBackDead(db: Db): Promise<number> {
  // All lock the accounts in the same order.
  const { rows } = await sql`
    select finish_verification(id, account_id, true, false, null, null, null) from (
      select id, account_id from verifications
      where state = 'running' and not is_process_alive(process_id)
      order by account_id, id limit 100
    ) as dead
  `.execute(db);
  return rows.length;
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

/** Deletes kept results. Requests that joined have 30 seconds more to read them. */
export async function forgetKept(db: Db): Promise<void> {
  await db
    .deleteFrom('verifications')
    .where('state', '=', 'kept')
    .where('expires_at', '<', sql<Date>`clock_timestamp() - interval '30 seconds'`)
    .execute();
}

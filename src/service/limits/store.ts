/** The SQL of limits. The clock is the database's, because the clocks of the processes differ. */
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { networkOf } from '../../network/ip.ts';
import type { Db } from '../database/schema.ts';
import type { GuessRule } from './guesses.ts';
import type { Visitor } from './unique-per-day.ts';

const TODAY = sql<Date>`(clock_timestamp() at time zone 'UTC')::date`;

/** The requests of the current second, this one included. */
export interface CountedSecond {
  readonly requests: number;
  /** When the second ends. */
  readonly resets_at: Date;
}

/**
 * Counts simultaneous requests, like the function `count_request` of the migrations does for one. Call it outside a
 * transaction, because a rollback would undo the count.
 *
 * @returns the count after the last one of them
 */
export async function countRequests(
  db: Db,
  accountId: string,
  endpoint: string,
  amount: number,
): Promise<CountedSecond> {
  // The clock is read once the row is locked, so that `started_at` never goes back while requests wait for each other.
  const { rows } = await sql<CountedSecond>`
    insert into rates as rate (account_id, endpoint, started_at, count)
    values (${accountId}, ${endpoint}, clock_timestamp(), ${amount})
    on conflict (account_id, endpoint) do update set (started_at, count) = (
      select
        case when is_new then at else rate.started_at end,
        case when is_new then excluded.count else rate.count + excluded.count end
      from (select clock_timestamp() as at) as clock, lateral (
        select rate.started_at <= at - interval '1 second' or rate.started_at > at + interval '1 second' as is_new
      ) as window_of_request
    )
    returning count as requests, started_at + interval '1 second' as resets_at
  `.execute(db);
  return rows[0]!;
}

/** Whether the address is one of today's, or there is room for it. Does not count it. */
export async function hasRoom(db: Db, visitor: Visitor, address: string, max: number): Promise<boolean> {
  const known = digest(visitor, address);
  const row = await db
    .selectFrom('visitors')
    .select(sql<boolean>`cardinality(addresses) < ${max} or ${known} = any(addresses)`.as('allowed'))
    .where('key_id', '=', visitor.keyId)
    .where('day', '=', TODAY)
    .where('network', '=', networkOf(visitor.ip))
    .executeTakeFirst();
  return row?.allowed ?? true;
}

/**
 * Counts the address, unless it is one of today's. The statement that checks for room locks the row first.
 *
 * @returns false if there was no room
 */
export async function takeAddress(db: Db, visitor: Visitor, address: string, max: number): Promise<boolean> {
  const taken = digest(visitor, address);
  const { rows } = await sql<{ is_in: boolean }>`
    insert into visitors as visitor (key_id, day, network, addresses)
    values (${visitor.keyId}, ${TODAY}, ${networkOf(visitor.ip)}, array[${taken}::bytea])
    on conflict (key_id, day, network) do update set addresses = case
      when cardinality(visitor.addresses) >= ${max} or ${taken} = any(visitor.addresses) then visitor.addresses
      else visitor.addresses || ${taken}::bytea
    end
    returning ${taken} = any(addresses) as is_in
  `.execute(db);
  return rows[0]!.is_in;
}

/** Deletes the visitors of the days before this one in UTC. */
export async function forgetVisitors(db: Db, before: Date): Promise<void> {
  const day = sql<Date>`${before.toISOString().slice(0, 10)}::date`;
  await db.deleteFrom('visitors').where('day', '<', day).execute();
}

/**
 * Locks the count of a subject until the transaction ends, and makes it if there is none.
 *
 * @returns whether it has a pause, also one that is over
 */
export async function lockGuesses(db: Db, subject: Buffer): Promise<boolean> {
  const { paused_until } = await db
    .insertInto('guesses')
    .values({ subject, wrong: 0 })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ guessed_at: sql`clock_timestamp()` }))
    .returning('paused_until')
    .executeTakeFirstOrThrow();
  return paused_until !== null;
}

/** Counts one guess as wrong, whether there is a pause or not. @returns the wrong guesses, this one included */
export async function addGuess(db: Db, subject: Buffer): Promise<number> {
  const { wrong } = await db
    .insertInto('guesses')
    .values({ subject, wrong: 1 })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet({ wrong: sql`guesses.wrong + 1`, guessed_at: sql`clock_timestamp()` }),
    )
    .returning('wrong')
    .executeTakeFirstOrThrow();
  return wrong;
}

/** Starts a pause, unless there is one, also one that is over. */
export async function beginPause(db: Db, subject: Buffer, seconds: number): Promise<void> {
  const paused_until = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
  await db
    .insertInto('guesses')
    .values({ subject, wrong: 0, paused_until })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet({ paused_until, guessed_at: sql`clock_timestamp()` })
        .where('guesses.paused_until', 'is', null),
    )
    .execute();
}

/**
 * Counts one guess as wrong, and starts a pause if the free ones are used up. During a pause, it does not count.
 *
 * @returns the remaining seconds of a pause, or 0 if the guess was counted
 */
export async function countGuess(db: Db, subject: Buffer, rule: GuessRule): Promise<number> {
  const { rows } = await sql`
    insert into guesses as guess (subject, wrong, paused_until, guessed_at)
    values (${subject}, 1, ${pauseAfter(sql`1`, rule)}, clock_timestamp())
    on conflict (subject) do update set
      wrong = guess.wrong + 1,
      paused_until = ${pauseAfter(sql`guess.wrong + 1`, rule)},
      guessed_at = clock_timestamp()
    where guess.paused_until is null or guess.paused_until <= clock_timestamp()
    returning wrong
  `.execute(db);
  if (rows.length > 0) return 0;
  // The pause may have ended since, or the row may have gone.
  const left = await sql<{ seconds: number }>`
    select greatest(1, max(ceil(extract(epoch from paused_until - clock_timestamp()))))::integer as seconds
    from guesses where subject = ${subject}
  `.execute(db);
  return left.rows[0]!.seconds;
}

/** The end of the pause after so many wrong guesses. The exponent is limited, so that it cannot overflow. */
const pauseAfter = (wrong: RawBuilder<unknown>, { free, firstPause, longestPause }: GuessRule) => sql`
  case when ${wrong} >= ${free}::integer then clock_timestamp() + make_interval(secs => least(
    ${longestPause}::float8, ${firstPause}::float8 * 2 ^ least(${wrong} - ${free}::integer, 30)
  )) end
`;

/** Takes back a counted guess that was right, and the pause that it started. */
export async function takeBackGuess(db: Db, subject: Buffer): Promise<void> {
  await db
    .updateTable('guesses')
    .set({ wrong: sql`greatest(wrong - 1, 0)`, paused_until: null })
    .where('subject', '=', subject)
    .execute();
  await db.deleteFrom('guesses').where('subject', '=', subject).where('wrong', '=', 0).execute();
}

/** Forgets the wrong guesses of one subject. */
export async function forgetGuessesAt(db: Db, subject: Buffer): Promise<void> {
  await db.deleteFrom('guesses').where('subject', '=', subject).execute();
}

/** Deletes counts without guesses for an hour. Pauses are shorter than that. */
export async function forgetOldGuesses(db: Db): Promise<void> {
  await db
    .deleteFrom('guesses')
    .where('guessed_at', '<', sql<Date>`clock_timestamp() - interval '1 hour'`)
    .execute();
}

/** Includes the key, so that the same address has a different digest for each key. Case does not matter. */
function digest({ keyId }: Visitor, address: string): Buffer {
  return createHash('sha256').update(`${keyId} ${address.toLowerCase()}`).digest().subarray(0, 16);
}

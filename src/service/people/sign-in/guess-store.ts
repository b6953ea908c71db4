/** The SQL of wrong guesses. */
import { type RawBuilder, sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import type { GuessRule } from './guesses.ts';

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
    where guess.paused_until is null or not ${isPaused(rule)}
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

/** Whether a subject has a pause that its own wrong guesses have started. */
export async function isPausedByItself(db: Db, subject: Buffer, rule: GuessRule): Promise<boolean> {
  const { rows } = await sql`
    select from guesses as guess where subject = ${subject} and wrong >= ${rule.free} and ${isPaused(rule)}
  `.execute(db);
  return rows.length > 0;
}

/** A pause that ends later than the longest one could was begun before the clock was set back, so it does not count. */
const isPaused = ({ longestPause }: GuessRule) => sql`
  (guess.paused_until > clock_timestamp()
    and guess.paused_until <= clock_timestamp() + make_interval(secs => ${longestPause}::float8))
`;

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

/** Deletes some counts without guesses for an hour. Pauses are shorter than that. @returns whether there may be more */
export const forgetOldGuesses = (db: Db): Promise<boolean> =>
  deleteSome(db, 'guesses', sql`guessed_at < statement_timestamp() - interval '1 hour'`);

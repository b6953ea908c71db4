/**
 * Slows down guesses at passwords and codes (RFC 6749, section 10.10; RFC 8628, section 5.1). The first wrong guesses
 * are free. After that, each one starts a pause, which doubles up to a maximum. So a person who knows the secret gets
 * in again, and an attacker gets a few guesses an hour. All processes share the counts.
 */
import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import {
  addGuess,
  beginPause,
  countGuess,
  forgetGuessesAt,
  isPausedByItself,
  lockGuesses,
  takeBackGuess,
} from './guess-store.ts';

/** How many wrong guesses are free, and how long the pauses are, in seconds. */
export interface GuessRule {
  readonly free: number;
  readonly firstPause: number;
  readonly longestPause: number;
}

/** The subject that a guess is counted for. */
export interface GuessSubject {
  /** Stored as a digest. It begins with the kind, so that an account and a session never share a count. */
  readonly name: `${string}: ${string}`;
  readonly rule: GuessRule;
}

class Paused extends Error {
  constructor(
    readonly seconds: number,
    /** Whether the pause only begins now. */
    readonly isNew = false,
  ) {
    super('no guess is taken before the pause is over');
  }
}

/**
 * Counts a guess for all subjects, before it is checked. So parallel guesses do not evade the limit, and a process that
 * dies in between loses no count.
 *
 * @param everywhere what strangers guess at, too. It pauses nobody. After its free guesses, the first subject waits
 * once before each guess, for the pause of this rule. So whoever waits gets through, however many others guess
 * @returns 0 if the guess may be checked. Otherwise the seconds until the next one may be. Such a guess is not counted
 */
export async function countGuesses(
  db: Db,
  [first, ...others]: readonly [GuessSubject, ...GuessSubject[]],
  everywhere?: GuessSubject,
): Promise<number> {
  const own = { id: digestOf(first.name), rule: first.rule };
  try {
    await inTransaction(db, async (transaction) => {
      const hasWaited = everywhere && (await lockGuesses(transaction, own.id));
      // What only this guess locks comes first, and the others always in the same order, to prevent deadlocks.
      for (const subject of [own, ...inOrder(others)]) {
        const seconds = await countGuess(transaction, subject.id, subject.rule);
        if (seconds > 0) throw new Paused(seconds);
      }
      if (!everywhere) return;
      const seconds = waitAfter(await addGuess(transaction, digestOf(everywhere.name)), everywhere.rule);
      if (seconds > 0 && !hasWaited) throw new Paused(seconds, true);
    });
    return 0;
  } catch (error) {
    if (!(error instanceof Paused)) throw error;
    if (error.isNew) await beginPause(db, own.id, error.seconds);
    return error.seconds;
  }
}

/** Whether a subject waits because of its own wrong guesses. Otherwise, it waits for the guesses of others. */
export const isOwnPause = (db: Db, { name, rule }: GuessSubject): Promise<boolean> =>
  isPausedByItself(db, digestOf(name), rule);

/** Takes back a right guess. The wrong ones before it still count. */
export const takeBack = (db: Db, { name }: GuessSubject): Promise<void> => takeBackGuess(db, digestOf(name));

/** Forgets all wrong guesses. */
export const forgetGuesses = (db: Db, { name }: GuessSubject): Promise<void> =>
  forgetGuessesAt(db, digestOf(name));

/** How long each guess waits after so many wrong ones, in seconds. */
const waitAfter = (wrong: number, { free, firstPause, longestPause }: GuessRule): number =>
  wrong > free ? Math.min(longestPause, firstPause * 2 ** (wrong - free - 1)) : 0;

const inOrder = (subjects: readonly GuessSubject[]) =>
  subjects
    .map(({ name, rule }) => ({ id: digestOf(name), rule }))
    .sort((one, other) => one.id.compare(other.id));

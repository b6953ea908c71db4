/**
 * Holds back guesses at passwords and codes (RFC 6749, section 10.10; RFC 8628, section 5.1). The first wrong guesses
 * are free. After that each one is followed by a pause, which doubles up to a longest one: a person who knows the
 * secret gets in again, and an attacker gets a few guesses an hour. All processes count together.
 */
import { createHash } from 'node:crypto';
import type { Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import { countGuess, forgetGuessesAt, takeBackGuess } from './store.ts';

/** How many wrong guesses are free, and how long the pauses are, in seconds. */
export interface GuessRule {
  readonly free: number;
  readonly firstPause: number;
  readonly longestPause: number;
}

/** What a guess is counted for. */
export interface GuessSubject {
  /** Is stored as a digest. The kind comes first, so that an account and a session never share a count. */
  readonly name: `${string}: ${string}`;
  readonly rule: GuessRule;
}

export interface Guesses {
  /**
   * Counts a guess for all subjects, before anybody knows whether it is right. Many guesses at once are therefore no
   * way around the limit, and a process that dies in between forgets none.
   *
   * @returns 0 if the guess may be judged. Otherwise the seconds until the next one may; then nothing was counted.
   */
  count(subjects: readonly GuessSubject[]): Promise<number>;
  /** The guess was right: it does not count. The wrong ones before it still do. */
  takeBack(subject: GuessSubject): Promise<void>;
  /** Forgets all wrong guesses. */
  forget(subject: GuessSubject): Promise<void>;
}

class Paused extends Error {
  constructor(readonly seconds: number) {
    super('no guess is taken before the pause is over');
  }
}

export function createGuesses(db: Db): Guesses {
  return {
    async count(subjects) {
      // Always in one order, so that two guesses cannot wait for each other.
      const inOrder = subjects
        .map(({ name, rule }) => ({ id: digestOf(name), rule }))
        .sort((one, other) => one.id.compare(other.id));
      try {
        await inTransaction(db, async (transaction) => {
          for (const { id, rule } of inOrder) {
            const seconds = await countGuess(transaction, id, rule);
            if (seconds > 0) throw new Paused(seconds);
          }
        });
        return 0;
      } catch (error) {
        if (error instanceof Paused) return error.seconds;
        throw error;
      }
    },
    takeBack: ({ name }) => takeBackGuess(db, digestOf(name)),
    forget: ({ name }) => forgetGuessesAt(db, digestOf(name)),
  };
}

const digestOf = (name: string): Buffer => createHash('sha256').update(name).digest();

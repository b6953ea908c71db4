/**
 * Checks the passwords that people type on any page. All pages share the count of wrong guesses.
 *
 * The response must not reveal whether an account exists. So an address without an account is counted, paused and
 * hashed like any other, and its response has the same text and takes the same time.
 */
import { networkOf } from '../../network/ip.ts';
import { checkPassword, hashPassword } from '../accounts/password.ts';
import { type Account, emailKey, findAccountByEmail } from '../accounts/store.ts';
import type { Db } from '../database/schema.ts';
import type { Guesses, GuessRule, GuessSubject } from '../limits/guesses.ts';
import { readMark } from './known-browser.ts';
import { createSlots } from './slots.ts';

export interface PasswordTry {
  readonly email: string;
  readonly password: string;
  readonly ip: string;
  /** The mark of a browser with an earlier sign-in. */
  readonly mark: string | undefined;
}

export type Judged =
  | {
      readonly kind: 'right';
      readonly account: Account;
      /** Whether the account has signed in in this browser before. */
      readonly isKnownBrowser: boolean;
      /** Forgets this guess and the wrong ones before it. Call it once the password was used. */
      forgive(): Promise<void>;
    }
  | { readonly kind: 'wrong' }
  /** There were too many wrong passwords. Even the right one is refused. */
  | { readonly kind: 'paused'; readonly seconds: number }
  /** Too many passwords are being checked at once. */
  | { readonly kind: 'busy' };

/** Each process has one. */
export interface Passwords {
  judge(attempt: PasswordTry): Promise<Judged>;
  /** Hashes a new password once a slot is free. */
  hash(password: string): Promise<string | 'busy'>;
}

/**
 * Nine wrong passwords have no effect. After that, an attacker gets about a hundred guesses a day. A browser in which
 * the account has signed in before has its own count.
 */
const PER_ACCOUNT: GuessRule = { free: 10, firstPause: 5, longestPause: 900 };
/** Many people may share an IP address, so this limit is higher. */
const PER_NETWORK: GuessRule = { free: 50, firstPause: 5, longestPause: 900 };

/** Each hash needs 32 MiB and one of Node's four threads, which files and DNS lookups also use. */
const HASHES_AT_ONCE = 2;
/** About three seconds of work. */
const MOST_WAITING = 50;

export function createPasswords({ db, guesses }: { db: Db; guesses: Guesses }): Passwords {
  const inTurn = createSlots(HASHES_AT_ONCE, MOST_WAITING);

  async function judge({ email, password, ip, mark }: PasswordTry): Promise<Judged> {
    const found = await findAccount(email);
    const known = found && readMark(mark, found);
    const account: GuessSubject = {
      name: known === undefined ? `account: ${emailKey(email)}` : `known browser: ${known}`,
      rule: PER_ACCOUNT,
    };
    const network: GuessSubject = { name: `sign-in network: ${networkOf(ip)}`, rule: PER_NETWORK };
    const seconds = await guesses.count([account, network]);
    if (seconds > 0) return { kind: 'paused', seconds };
    if (!(await checkPassword(password, found?.password_hash)) || !found) return { kind: 'wrong' };
    const forgive = async (): Promise<void> => {
      await guesses.forget(account);
      // Not forgotten, because attackers could reset the count with sign-ins to their own account.
      await guesses.takeBack(network);
    };
    return { kind: 'right', account: found, isKnownBrowser: known !== undefined, forgive };
  }

  /** PostgreSQL's text cannot hold the character 0, so no account has it. */
  const findAccount = async (email: string) =>
    email.includes('\0') ? undefined : findAccountByEmail(db, email);

  return {
    async judge(attempt) {
      const judged = await inTurn(() => judge({ ...attempt, email: attempt.email.trim() }));
      return judged === 'busy' ? { kind: 'busy' } : judged;
    },
    hash: (password) => inTurn(() => hashPassword(password)),
  };
}

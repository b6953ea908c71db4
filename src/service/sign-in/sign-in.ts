/**
 * Signs people in by email address and password.
 *
 * The response must not tell whether an account exists. An address without an account is therefore counted, paused and
 * hashed for like any other, and its response has the same text and takes the same time.
 */
import { networkOf } from '../../network/ip.ts';
import { checkPassword } from '../accounts/password.ts';
import { emailKey, findAccountByEmail } from '../accounts/store.ts';
import type { Db } from '../database/schema.ts';
import type { Guesses, GuessRule, GuessSubject } from '../limits/guesses.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { makeMark, readMark } from './known-browser.ts';
import { createSlots } from './slots.ts';

export interface SignInTry {
  readonly email: string;
  readonly password: string;
  readonly ip: string;
  /** The value of the browser's cookie. Its session, if there is one, is replaced. */
  readonly cookie: string;
  /** The mark of a browser in which somebody has signed in before. */
  readonly mark: string | undefined;
}

export type SignInResult =
  /** The new value for the cookie, and the mark of the browser. */
  | { readonly kind: 'signed-in'; readonly cookie: string; readonly mark: string }
  | { readonly kind: 'wrong' }
  /** There were too many wrong passwords. Not even the right one is looked at. */
  | { readonly kind: 'paused'; readonly seconds: number }
  /** Too many people sign in at once. */
  | { readonly kind: 'busy' };

export type SignIn = (attempt: SignInTry) => Promise<SignInResult>;

/**
 * Nine typing errors cost nothing. After that, an attacker gets about a hundred guesses a day. A browser in which the
 * account has signed in before has a count of its own.
 */
const PER_ACCOUNT: GuessRule = { free: 10, firstPause: 5, longestPause: 900 };
/** Many people may share an IP address, so it is held back later. */
const PER_NETWORK: GuessRule = { free: 50, firstPause: 5, longestPause: 900 };

/** Hashes need 32 MiB each, and the threads that files and name servers need too. Node has four. */
const HASHES_AT_ONCE = 2;
/** About three seconds of work. */
const MOST_WAITING = 50;

export interface SignInOptions {
  readonly db: Db;
  readonly sessions: Sessions;
  readonly guesses: Guesses;
}

export function createSignIn({ db, sessions, guesses }: SignInOptions): SignIn {
  const inTurn = createSlots(HASHES_AT_ONCE, MOST_WAITING);

  async function judge({ email, password, ip, cookie, mark }: SignInTry): Promise<SignInResult> {
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
    const value = await sessions.begin(found, cookie);
    // The password was right when it was looked up, and has been changed since.
    if (value === undefined) return { kind: 'wrong' };
    await guesses.forget(account);
    // Not forgotten: an attacker with an account of their own would be free again after each sign-in.
    await guesses.takeBack(network);
    const keptMark = known === undefined ? makeMark(found) : mark!;
    return { kind: 'signed-in', cookie: value, mark: keptMark };
  }

  /** PostgreSQL's text cannot hold the character 0, so no account has it. */
  const findAccount = async (email: string) =>
    email.includes('\0') ? undefined : findAccountByEmail(db, email);

  return async (attempt) => {
    const result = await inTurn(() => judge({ ...attempt, email: attempt.email.trim() }));
    return result === 'busy' ? { kind: 'busy' } : result;
  };
}

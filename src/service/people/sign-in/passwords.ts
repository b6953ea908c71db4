/**
 * Checks the passwords that people type on any page. All pages share the count of wrong guesses.
 *
 * The response must not reveal whether a person exists. So an address without a person is counted, paused and
 * hashed like any other, and its response has the same text and takes the same time.
 */

import { networkOf, siteOf } from '../../../shared/ip.ts';
import { sha256 } from '../../../shared/sha256.ts';
import type { Log } from '../../core/log.ts';
import { createSlots } from '../../core/slots.ts';
import type { Deps } from '../../deps/deps.ts';
import { emailKey } from '../accounts/account-store.ts';
import { checkPassword, hashPassword, type PasswordCost } from '../accounts/password-hash.ts';
import { findPersonByEmail, type Person } from '../persons/person-store.ts';
import { countGuesses, forgetGuesses, type GuessRule, type GuessSubject, takeBack } from './guesses.ts';
import { readBrowserToken } from './known-browser.ts';

export interface PasswordTry {
  readonly email: string;
  readonly password: string;
  readonly ip: string;
  /** The token of a browser with an earlier sign-in. */
  readonly browserToken: string | undefined;
}

export type Judged =
  | {
      readonly kind: 'right';
      readonly person: Person;
      /** The hash that the password was checked against. */
      readonly checkedHash: string;
      /** Whether the person has signed in in this browser before. */
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
  /** Hashes a new password of a person when its turn comes. */
  hash(password: string, personId: string): Promise<string | 'busy'>;
}

/**
 * Counts by person and network, so that a stranger elsewhere holds nobody up. Nine wrong passwords have no
 * effect. After that, an attacker gets about a hundred guesses a day. A browser in which the person has signed in
 * before has a count of its own, and no other.
 */
const PER_PERSON: GuessRule = { free: 10, firstPause: 5, longestPause: 900 };
/** Whoever has a /48 has 65,536 networks. */
const PER_PERSON_AND_SITE: GuessRule = { free: 30, firstPause: 5, longestPause: 900 };
/** All networks together: the wait that the person meets too is short. */
const PER_PERSON_EVERYWHERE: GuessRule = { free: 100, firstPause: 1, longestPause: 30 };
/** Many people may share an IP address, so this limit is higher. */
const PER_NETWORK: GuessRule = { free: 50, firstPause: 5, longestPause: 900 };
const PER_SITE: GuessRule = { free: 200, firstPause: 5, longestPause: 900 };

/** Each hash needs 32 MiB and one of Node's four threads, which files and DNS lookups also use. */
const HASHES_AT_ONCE = 2;
/** About three seconds of work. */
const MOST_WAITING = 50;

/** @param cost the cost of new hashes @default a tenth of a second */
export function createPasswords({ db, log }: Pick<Deps, 'db' | 'log'>, cost?: PasswordCost): Passwords {
  // Guesses during a pause need no hash, so they do not wait for those that do.
  const lookUps = createSlots({ atOnce: HASHES_AT_ONCE, mostWaiting: MOST_WAITING });
  const hashes = createSlots({ atOnce: HASHES_AT_ONCE, mostWaiting: MOST_WAITING });

  async function judge(attempt: PasswordTry): Promise<Judged> {
    const { ip, password } = attempt;
    const stranger = { id: siteOf(ip), isKnown: false };
    const counted = await lookUps.run(stranger, () => count(attempt));
    if (counted === 'busy') return { kind: 'busy' };
    const { found, isKnownBrowser, subjects, everywhere, seconds } = counted;
    if (seconds > 0) return { kind: 'paused', seconds };
    const isRight = await hashes.run(isKnownBrowser ? { id: found!.id } : stranger, () =>
      checkPassword(password, found?.password_hash ?? undefined, cost),
    );
    if (isRight === 'busy') {
      for (const subject of [...subjects, ...everywhere]) await takeBack(db, subject);
      return { kind: 'busy' };
    }
    if (!isRight || !found?.password_hash) return { kind: 'wrong' };
    const [own, ...shared] = subjects;
    const forgive = async (): Promise<void> => {
      for (const subject of [own, ...everywhere]) await forgetGuesses(db, subject);
      // Not forgotten, because attackers could reset the count with sign-ins to their own account.
      for (const subject of shared) await takeBack(db, subject);
    };
    return { kind: 'right', person: found, checkedHash: found.password_hash, isKnownBrowser, forgive };
  }

  async function count({ email, ip, browserToken }: PasswordTry) {
    const found = await findPerson(email);
    const known = found && readBrowserToken(browserToken, found);
    const { subjects, everywhere } = known === undefined ? subjectsOf(email, ip) : subjectsOfKnown(known);
    const seconds = await countGuesses(db, subjects, everywhere[0]);
    return { found, isKnownBrowser: known !== undefined, subjects, everywhere, seconds };
  }

  /** PostgreSQL's text cannot hold the character 0, so no person has it. */
  const findPerson = async (email: string) =>
    email.includes('\0') ? undefined : findPersonByEmail(db, email);

  return {
    async judge(sent) {
      const attempt = { ...sent, email: sent.email.trim() };
      const judged = await judge(attempt);
      if (judged.kind !== 'right') logRefusal(log, attempt, judged);
      return judged;
    },
    hash: (password, personId) => hashes.run({ id: personId }, () => hashPassword(password, cost)),
  };
}

interface Subjects {
  /** The first one belongs to the person alone. Others share the rest. */
  readonly subjects: readonly [GuessSubject, ...GuessSubject[]];
  /** The person over all networks, if that counts. */
  readonly everywhere: readonly GuessSubject[];
}

function subjectsOf(email: string, ip: string): Subjects {
  const person = emailKey(email);
  const [network, site] = [networkOf(ip), siteOf(ip)];
  return {
    subjects: [
      { name: `account: ${person} from ${network}`, rule: PER_PERSON },
      { name: `sign-in network: ${network}`, rule: PER_NETWORK },
      ...(site === network
        ? []
        : [
            { name: `account: ${person} from ${site}`, rule: PER_PERSON_AND_SITE } as const,
            { name: `sign-in network: ${site}`, rule: PER_SITE } as const,
          ]),
    ],
    everywhere: [{ name: `account: ${person}`, rule: PER_PERSON_EVERYWHERE }],
  };
}

const subjectsOfKnown = (browser: string): Subjects => ({
  subjects: [{ name: `known browser: ${browser}`, rule: PER_PERSON }],
  everywhere: [],
});

/** Digests, because the log must not contain email addresses or IP addresses. */
function logRefusal(log: Log, { email, ip }: PasswordTry, judged: Exclude<Judged, { kind: 'right' }>): void {
  const digest = (text: string) => sha256(text).slice(0, 16);
  const { kind: reason } = judged;
  log(reason === 'wrong' ? 'info' : 'warn', 'sign-in refused', {
    ...{ reason, person: digest(emailKey(email)), network: digest(networkOf(ip)) },
    ...(judged.kind === 'paused' && { seconds: judged.seconds }),
    ...(reason !== 'wrong' && { advice: ADVICE[reason] }),
  });
}

const ADVICE = {
  paused:
    'If lines with this network go on, block it at the reverse proxy. The person can sign in after the pause, or at once in a browser with an earlier sign-in.',
  busy: 'If such lines go on, block their networks at the reverse proxy, or start more web processes.',
};

/**
 * Checks the passwords that people type on any page. All pages share the count of wrong guesses.
 *
 * The response must not reveal whether a person exists. So an address without a person is counted, paused and
 * hashed like any other, and its response has the same text and takes the same time.
 */
import { networkOf, siteOf } from '../../../shared/ip.ts';
import type { Log } from '../../core/log.ts';
import { createSlots } from '../../core/slots.ts';
import type { Deps } from '../../deps/deps.ts';
import { emailKey } from '../accounts/account-store.ts';
import { checkPassword, hashPassword, isTooCheap, type PasswordCost } from '../accounts/password-hash.ts';
import { factorsOf, hasSecondFactor } from '../factors/factor-store.ts';
import {
  findPersonByEmail,
  findPersonById,
  type Person,
  replacePasswordHash,
} from '../persons/person-store.ts';
import { isValue } from '../sessions/cookie-value.ts';
import {
  countGuesses,
  forgetGuesses,
  type GuessRule,
  type GuessSubject,
  isOwnPause,
  takeBack,
} from './guesses.ts';
import { recogniseBrowser } from './known-browser.ts';
import { digestsOf } from './log-digests.ts';

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

/** Lookups are short, so many may wait for one, and a known browser is not lost among strangers. */
const MOST_RECOGNISED = 1_000;

/** Each hash needs 32 MiB and one of Node's four threads, which files and DNS lookups also use. */
const HASHES_AT_ONCE = 2;
/** About eight seconds of work. Known browsers and others take turns, so a flood of others holds them up for less. */
const MOST_WAITING = 50;

/** @param cost the cost of new hashes @default a third of a second */
export function createPasswords({ db, log }: Pick<Deps, 'db' | 'log'>, cost?: PasswordCost): Passwords {
  // Guesses during a pause need no hash, so they do not wait for those that do.
  const lookUps = createSlots({ atOnce: HASHES_AT_ONCE, mostWaiting: MOST_WAITING });
  // Known browsers are told from strangers before both wait for the counts.
  const recognitions = createSlots({ atOnce: HASHES_AT_ONCE, mostWaiting: MOST_RECOGNISED });
  const hashes = createSlots({ atOnce: HASHES_AT_ONCE, mostWaiting: MOST_WAITING });

  async function judge(attempt: PasswordTry): Promise<Judged> {
    const { ip, password } = attempt;
    const stranger = { id: siteOf(ip), isKnown: false };
    const recognised = isValue(attempt.browserToken)
      ? await recognitions.run(stranger, () => recognise(attempt))
      : undefined;
    if (recognised === 'busy') return { kind: 'busy' };
    const isKnownBrowser = recognised?.known !== undefined;
    const owner = isKnownBrowser ? { id: recognised.found!.id } : stranger;
    const counted = await lookUps.run(owner, () => count(attempt, recognised));
    if (counted === 'busy') return { kind: 'busy' };
    const { found, subjects, everywhere, seconds, early } = counted;
    const paused = { kind: 'paused', seconds } as const;
    if (seconds > 0 && !early) return paused;
    const isRight = await hashes.run(owner, () =>
      checkPassword(password, found?.password_hash ?? undefined, cost),
    );
    if (isRight === 'busy') {
      for (const subject of early ?? [...subjects, ...everywhere]) await takeBack(db, subject);
      return { kind: 'busy' };
    }
    const isLetIn = isRight && (!early || hasSecondFactor(await factorsOf(db, found!.id)));
    if (early && !isLetIn) return paused;
    if (!isRight || !found?.password_hash) return { kind: 'wrong' };
    const person = await renewHash(found, password);
    if (!person?.password_hash) return { kind: 'wrong' };
    const [first, ...shared] = early ?? subjects;
    const forgive = async (): Promise<void> => {
      for (const subject of [subjects[0], ...everywhere, first]) await forgetGuesses(db, subject);
      // Not forgotten, because attackers could reset the count with sign-ins to their own account.
      for (const subject of shared) await takeBack(db, subject);
    };
    return { kind: 'right', person, checkedHash: person.password_hash, isKnownBrowser, forgive };
  }

  async function recognise({ email, browserToken }: PasswordTry): Promise<Recognised> {
    const found = await findPerson(email);
    // Also for an unknown person, so that the time is the same.
    return { found, known: await recogniseBrowser(db, found?.id ?? '', browserToken) };
  }

  async function count({ email, ip }: PasswordTry, recognised: Recognised | undefined) {
    const { found, known } = recognised ?? { found: await findPerson(email), known: undefined };
    const { subjects, everywhere } = known ? subjectsOfKnown(known) : subjectsOf(email, ip);
    const seconds = await countGuesses(db, subjects, everywhere[0]);
    const early = seconds > 0 && !known ? await countEarly(ofPerson(email, ip)) : undefined;
    return { found, subjects, everywhere, seconds, early };
  }

  /**
   * Guesses at other people, and those from elsewhere, make a person wait, too. A right password passes at once if a second
   * factor follows it. So such guesses are checked, a few for each person and network, and those of persons without a
   * second factor, too: the time must not reveal who has one.
   *
   * @returns the subjects that were counted, if the guess is checked although it has to wait
   */
  async function countEarly(own: Subjects['subjects']): Promise<Subjects['subjects'] | undefined> {
    for (const subject of own) if (await isOwnPause(db, subject)) return undefined;
    const [first, ...others] = own;
    const early = [toEarly(first), ...others.map(toEarly)] as const;
    return (await countGuesses(db, early)) === 0 ? early : undefined;
  }

  /**
   * Hashes a right password again if the cost of new hashes has risen. Sessions and known browsers stay.
   *
   * @returns the person with the hash that is stored then. Undefined if the password was changed meanwhile
   */
  async function renewHash(person: Person, password: string): Promise<Person | undefined> {
    const before = person.password_hash!;
    if (!isTooCheap(before, cost)) return person;
    const after = await hashes.run({ id: person.id }, () => hashPassword(password, cost));
    // The next sign-in does it.
    if (after === 'busy') return person;
    if (await replacePasswordHash(db, person.id, before, after)) return { ...person, password_hash: after };
    // Another sign-in did the same, or the password was changed.
    const latest = await findPersonById(db, person.id);
    const isSame = latest?.password_hash && (await checkPassword(password, latest.password_hash, cost));
    return isSame ? latest : undefined;
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

interface Recognised {
  readonly found: Person | undefined;
  /** The id of the browser, if the person has signed in there before. */
  readonly known: Buffer | undefined;
}

interface Subjects {
  /** The first one belongs to the person alone. Others share the rest. */
  readonly subjects: readonly [GuessSubject, ...GuessSubject[]];
  /** The person over all networks, if that counts. */
  readonly everywhere: readonly GuessSubject[];
}

function subjectsOf(email: string, ip: string): Subjects {
  const [network, site] = [networkOf(ip), siteOf(ip)];
  return {
    subjects: [
      ...ofPerson(email, ip),
      { name: `sign-in network: ${network}`, rule: PER_NETWORK },
      ...(site === network ? [] : [{ name: `sign-in network: ${site}`, rule: PER_SITE } as const]),
    ],
    everywhere: [{ name: `account: ${emailKey(email)}`, rule: PER_PERSON_EVERYWHERE }],
  };
}

/** What only guesses at this person from there count for. */
function ofPerson(email: string, ip: string): Subjects['subjects'] {
  const person = emailKey(email);
  const [network, site] = [networkOf(ip), siteOf(ip)];
  return [
    { name: `account: ${person} from ${network}`, rule: PER_PERSON },
    ...(site === network
      ? []
      : [{ name: `account: ${person} from ${site}`, rule: PER_PERSON_AND_SITE } as const]),
  ];
}

const toEarly = ({ name, rule }: GuessSubject): GuessSubject => ({ name: `early ${name}`, rule });

const subjectsOfKnown = (browser: Buffer): Subjects => ({
  subjects: [{ name: `known browser: ${browser.toString('hex')}`, rule: PER_PERSON }],
  everywhere: [],
});

function logRefusal(log: Log, attempt: PasswordTry, judged: Exclude<Judged, { kind: 'right' }>): void {
  const { kind: reason } = judged;
  log(reason === 'wrong' ? 'info' : 'warn', 'sign-in refused', {
    ...{ reason, ...digestsOf(attempt) },
    ...(judged.kind === 'paused' && { seconds: judged.seconds }),
    advice: ADVICE[reason],
  });
}

/** What the operator can do. */
const ADVICE = {
  wrong:
    'One such line is a typing mistake. For a person who has lost the password, run "admin person password". If many lines have this network, block it at the reverse proxy.',
  paused:
    'If lines with this network go on, block it at the reverse proxy. The person can sign in after the pause, or at once in a browser with an earlier sign-in, or with a passkey.',
  busy: 'If such lines go on, block their networks at the reverse proxy, or start more web processes.',
};

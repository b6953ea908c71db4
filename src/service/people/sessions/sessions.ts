/**
 * Sessions of signed-in people. The browser has a random value in a cookie. The database has only its digest, so a
 * reader of the database cannot use a session. All times use the database's clock.
 */
import { networkOf } from '../../../shared/ip.ts';
import { digestOf } from '../../../shared/sha256.ts';
import type { Deps } from '../../deps/deps.ts';
import { recogniseBrowser } from '../sign-in/known-browser.ts';
import { makeValue } from './cookie-value.ts';
import { insertSession, type NewSession } from './session-store.ts';

/** A person who has proved who they are. */
export interface CheckedPerson {
  readonly id: string;
  /** The hash that the password was checked against. Absent if the person has signed in in another way. */
  readonly checkedHash?: string | undefined;
}

/** The browser of a sign-in. */
export interface BrowserOfSession {
  /** The browser's previous value. Its session ends. */
  readonly replaced: string;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
  /** The IP address of the browser. Its network is kept with the session. */
  readonly ip: string;
  /** The token of a browser with an earlier sign-in. */
  readonly browserToken: string | undefined;
  readonly alsoStore?: NewSession['alsoStore'];
}

/** A session that has begun. */
export interface BegunSession {
  /** The value for the session's cookie. */
  readonly cookie: string;
  /** The token by which the service knows the browser again. */
  readonly browserToken: string;
}

/**
 * Starts a session with a new value, so that a value planted in a browser is useless (session fixation). For the same
 * reason, a browser keeps its token only if it is known to the person.
 *
 * @returns undefined if the password has been changed since it was checked
 */
export async function beginSession(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  { id: personId, checkedHash }: CheckedPerson,
  { replaced, userAgent, ip, browserToken: known, alsoStore }: BrowserOfSession,
): Promise<BegunSession | undefined> {
  const cookie = makeValue();
  const isKnown = (await recogniseBrowser(db, personId, known)) !== undefined;
  const browserToken = isKnown ? known! : makeValue();
  const isBegun = await insertSession(db, {
    ...{ id: digestOf(cookie), replaces: digestOf(replaced), personId, passwordHash: checkedHash },
    ...{ seconds: settings.durations.session, idleSeconds: settings.durations.sessionIdle },
    ...{ userAgent, network: networkOf(ip), browserId: digestOf(browserToken) },
    alsoStore,
  });
  return isBegun ? { cookie, browserToken } : undefined;
}

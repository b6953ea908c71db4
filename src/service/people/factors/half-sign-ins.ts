/**
 * Half a sign-in: the password was right, and the second factor is missing. It is stored, so any process completes it. It
 * opens nothing: the browser gets a new cookie, but no session.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import type { Site } from '../../pages/page-urls.ts';
import { findPersonById, type Person } from '../persons/person-store.ts';
import { giveCookie } from '../sessions/browser.ts';
import { makeValue } from '../sessions/cookie-value.ts';
import { endSession } from '../sessions/session-store.ts';
import { findHalfSignIn, insertHalfSignIn } from './half-sign-in-store.ts';

/**
 * Begins it with a new cookie, so that a value planted in a browser is useless (session fixation). The session that the
 * browser had ends: without its cookie, only a thief of the cookie could go on with it.
 */
export async function beginHalfSignIn(
  db: Db,
  site: Site,
  reply: FastifyReply,
  { person, returnTo }: BegunSignIn,
): Promise<void> {
  const value = makeValue();
  await insertHalfSignIn(db, {
    ...{ id: digestOf(value), personId: person.id, returnTo },
    passwordDigest: digestOf(person.password_hash ?? ''),
  });
  await endSession(db, digestOf(reply.request.browser.value));
  giveCookie(reply, site, value);
}

export interface BegunSignIn {
  readonly person: Person;
  readonly returnTo: string | undefined;
}

/** Half a sign-in of this browser. A changed password ends it. */
export async function readHalfSignIn(db: Db, { browser }: FastifyRequest): Promise<BegunSignIn | undefined> {
  const half = await findHalfSignIn(db, digestOf(browser.value));
  const person = half && (await findPersonById(db, half.personId));
  if (!person || !half.passwordDigest.equals(digestOf(person.password_hash ?? ''))) return undefined;
  return { person, returnTo: half.returnTo ?? undefined };
}

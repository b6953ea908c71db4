/**
 * What a sign-in at the provider is begun and checked with: state, nonce and PKCE.
 *
 * The database has only digests. Nonce and verifier are computed from the state and the cookie of the browser, so a
 * reader of the database cannot continue the sign-in of anybody, and no other browser can (login CSRF).
 */
import { createHmac } from 'node:crypto';
import { digestOf } from '../../../shared/sha256.ts';
import { seal, unseal } from '../../core/seal.ts';
import type { Db } from '../../database/schema.ts';
import { makeValue } from '../sessions/cookie-value.ts';
import { insertRequest, takeRequest } from './provider-store.ts';

/** Longer addresses are not kept. Browsers and the provider send them back and forth. */
const LONGEST_RETURN = 8_000;
/** What people have typed into a form that waits for the provider, in bytes. */
const MOST_TYPED = 60_000;

/** The values that only this browser can have. */
export interface BrowserSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface BegunRequest {
  /** The value of the browser's cookie. */
  readonly cookie: string;
  readonly returnTo: string | undefined;
  /** Who confirms the session. @default it is a sign-in */
  readonly personId?: string | undefined;
  /** The fields of the form that waits for the confirmation. */
  readonly typed?: ReadonlyMap<string, string>;
}

/** Begins a sign-in or a confirmation. */
export async function beginRequest(
  db: Db,
  { cookie, returnTo, personId, typed }: BegunRequest,
): Promise<BrowserSecrets> {
  const secrets = secretsOf(cookie, makeValue());
  const text = JSON.stringify([...(typed ?? [])]);
  const isKept = personId !== undefined && typed?.size && Buffer.byteLength(text) <= MOST_TYPED;
  await insertRequest(db, {
    state: digestOf(secrets.state),
    browser: digestOf(cookie),
    personId: personId ?? null,
    returnTo: returnTo !== undefined && returnTo.length <= LONGEST_RETURN ? returnTo : null,
    sealed: isKept ? seal(keyOf(cookie), text, secrets.state) : null,
  });
  return secrets;
}

/** A request that has come back. */
export interface ResumedRequest extends BrowserSecrets {
  readonly personId: string | undefined;
  readonly returnTo: string | undefined;
  readonly typed: ReadonlyMap<string, string>;
  /** When it began, by the clock of the database, in seconds since 1970. */
  readonly begunAt: number;
  /** When it came back, in the same way. */
  readonly takenAt: number;
}

/** @returns undefined for a state that is unknown, used, too old, or of another browser */
export async function resumeRequest(
  db: Db,
  cookie: string,
  state: string,
): Promise<ResumedRequest | undefined> {
  const taken = await takeRequest(db, digestOf(state), digestOf(cookie));
  if (!taken) return undefined;
  const { person_id, return_to, sealed, begun_at: begunAt, taken_at: takenAt } = taken;
  const text = sealed && unseal(keyOf(cookie), sealed, state);
  return {
    ...secretsOf(cookie, state),
    ...{ personId: person_id ?? undefined, returnTo: return_to ?? undefined, begunAt, takenAt },
    typed: new Map(text ? (JSON.parse(text) as [string, string][]) : []),
  };
}

function secretsOf(cookie: string, state: string): BrowserSecrets {
  return {
    state,
    nonce: derive(cookie, `nonce ${state}`).toString('base64url'),
    verifier: derive(cookie, `verifier ${state}`).toString('base64url'),
  };
}

const keyOf = (cookie: string): Buffer => derive(cookie, 'typed');

const derive = (cookie: string, purpose: string): Buffer =>
  createHmac('sha256', cookie).update(`provider ${purpose}`).digest();

/** Lets a signed-in person give the second factor again, before something that a thief of the session must not do. */
import { digestOf } from '../../../shared/sha256.ts';
import type { Deps } from '../../deps/deps.ts';
import type { Someone } from '../persons/person-store.ts';
import { confirmSession } from '../sessions/session-store.ts';
import { type JudgedFactor, judgeFactor, type SentFactor } from './second-factor.ts';

export type ConfirmedFactor =
  | { readonly kind: 'confirmed' }
  | Exclude<JudgedFactor, { readonly kind: 'right' }>;

/** @param cookie the value of the browser's cookie */
export async function confirmFactor(
  deps: Pick<Deps, 'db' | 'settings'>,
  person: Someone,
  sent: SentFactor,
  cookie: string,
): Promise<ConfirmedFactor> {
  const judged = await judgeFactor(deps, person, sent, cookie);
  if (judged.kind !== 'right') return judged;
  // The session may have ended, or belong to another person by now.
  return { kind: (await confirmSession(deps.db, digestOf(cookie), person.id)) ? 'confirmed' : 'wrong' };
}

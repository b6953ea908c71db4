/** Lets a signed-in person type the password again, before something that a thief of the session must not do. */
import { digestOf } from '../../../shared/sha256.ts';
import { confirmSession } from '../sessions/session-store.ts';
import type { Judged, PasswordTry } from './passwords.ts';
import type { SignInDeps } from './sign-in.ts';

export interface Confirmation extends PasswordTry {
  /** The value of the browser's cookie. */
  readonly cookie: string;
}

export type Confirmed = { readonly kind: 'confirmed' } | Exclude<Judged, { kind: 'right' }>;

export async function confirmPassword(
  { db, passwords }: SignInDeps,
  { cookie, ...attempt }: Confirmation,
): Promise<Confirmed> {
  const judged = await passwords.judge(attempt);
  if (judged.kind !== 'right') return judged;
  // The session may have ended, or belong to another person by now.
  if (!(await confirmSession(db, digestOf(cookie), judged.person.id))) return { kind: 'wrong' };
  await judged.forgive();
  return { kind: 'confirmed' };
}

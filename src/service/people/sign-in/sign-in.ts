/** Signs people in by email address and password. `passwords.ts` checks the password. */
import type { Deps } from '../../deps/deps.ts';
import { beginSession } from '../sessions/sessions.ts';
import { makeBrowserToken } from './known-browser.ts';
import type { Judged, Passwords, PasswordTry } from './passwords.ts';

export interface SignInTry extends PasswordTry {
  /** The value of the browser's cookie. A session with this value is replaced. */
  readonly cookie: string;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
}

export type SignInResult =
  /** The new value for the cookie, and the token of the browser. */
  | { readonly kind: 'signed-in'; readonly cookie: string; readonly browserToken: string }
  | Exclude<Judged, { kind: 'right' }>;

export type SignInDeps = Pick<Deps, 'db' | 'settings' | 'untilUnlocked'> & { readonly passwords: Passwords };

export async function signIn(
  deps: SignInDeps,
  { cookie, userAgent, ...attempt }: SignInTry,
): Promise<SignInResult> {
  const judged = await deps.passwords.judge(attempt);
  if (judged.kind !== 'right') return judged;
  const { account, isKnownBrowser, forgive } = judged;
  await deps.untilUnlocked(account.id);
  const value = await beginSession(deps, account, { replaced: cookie, userAgent });
  // The password was changed after the check.
  if (value === undefined) return { kind: 'wrong' };
  await forgive();
  const browserToken = isKnownBrowser ? attempt.browserToken! : makeBrowserToken(account);
  return { kind: 'signed-in', cookie: value, browserToken };
}

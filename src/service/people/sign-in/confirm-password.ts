/** Lets a signed-in person type the password again, before something that a thief of the session must not do. */
import type { Sessions } from '../sessions/sessions.ts';
import type { Judged, Passwords, PasswordTry } from './passwords.ts';

export interface Confirmation extends PasswordTry {
  /** The value of the browser's cookie. */
  readonly cookie: string;
}

export type Confirmed = { readonly kind: 'confirmed' } | Exclude<Judged, { kind: 'right' }>;

export type ConfirmPassword = (confirmation: Confirmation) => Promise<Confirmed>;

export interface ConfirmPasswordOptions {
  readonly sessions: Sessions;
  readonly passwords: Passwords;
}

export function createConfirmPassword({ sessions, passwords }: ConfirmPasswordOptions): ConfirmPassword {
  return async ({ cookie, ...attempt }) => {
    const judged = await passwords.judge(attempt);
    if (judged.kind !== 'right') return judged;
    // The session may have ended, or belong to another person by now.
    if (!(await sessions.confirm(cookie, judged.account.id))) return { kind: 'wrong' };
    await judged.forgive();
    return { kind: 'confirmed' };
  };
}

/** What signing in needs. `passwords.ts` checks a password, and `finish-sign-in.ts` begins the session. */
import type { Deps } from '../../deps/deps.ts';
import type { Passwords } from './passwords.ts';

export type SignInDeps = Pick<Deps, 'db' | 'log' | 'settings' | 'untilUnlocked'> & {
  readonly passwords: Passwords;
};

/** What signing in needs. `passwords.ts` checks a password, and `finish-sign-in.ts` begins the session. */
import type { Deps } from '../../deps/deps.ts';
import type { Site } from '../../pages/page-urls.ts';
import type { Passwords } from './passwords.ts';

export type SignInDeps = Pick<Deps, 'db' | 'log' | 'settings' | 'untilUnlocked'> & {
  readonly passwords: Passwords;
};

/** A route whose path ends with the secret of a link. */
export interface WithToken {
  Params: { token: string };
}

/** What the routes of the pages to sign in at get. They must be registered in a scope of pages. */
export interface SignInRouteOptions {
  readonly site: Site;
  readonly deps: SignInDeps;
}

/** The end of every sign-in, whatever way the person has come: the session begins, and the browser gets its cookies. */
import type { FastifyReply } from 'fastify';
import { clientIp } from '../../http/client-ip.ts';
import type { Site } from '../../pages/page-urls.ts';
import { membershipsOf } from '../members/member-store.ts';
import type { Person } from '../persons/person-store.ts';
import { giveCookie, readOwnCookie, setOwnCookie } from '../sessions/browser.ts';
import type { NewSession } from '../sessions/session-store.ts';
import { beginSession } from '../sessions/sessions.ts';
import { KNOWN_BROWSER } from './known-browser.ts';
import { digestsOf } from './log-digests.ts';
import type { SignInDeps } from './sign-in.ts';
import { sendRefused } from './sign-in-refusal.ts';

/** Where a sign-in leads by default. */
export const HOME = '/dashboard/';

/** What the person has proved who they are with, the last step of several. */
type SignInMethod = AfterPassword | 'passkey' | 'provider' | 'link' | 'invitation';
type AfterPassword = 'password' | 'second-factor' | 'recovery-code';

export interface FinishedSignIn {
  readonly person: Pick<Person, 'id' | 'email' | 'password_hash'>;
  readonly method: SignInMethod;
  /** The path and query to go to, within this service. @default the dashboard */
  readonly returnTo: string | undefined;
  /** What the way in has to store of the new session, in the transaction that begins it. */
  readonly alsoStore?: NewSession['alsoStore'];
}

/** The password was the first step, or the only one. */
const AFTER_PASSWORD: readonly SignInMethod[] = ['password', 'second-factor', 'recovery-code'];

/** A sign-in with a password that was changed meanwhile is refused like one with a wrong password. */
export async function finishSignIn(
  deps: SignInDeps,
  site: Site,
  reply: FastifyReply,
  { person, method, returnTo, alsoStore }: FinishedSignIn,
): Promise<FastifyReply> {
  const { request } = reply;
  const { id, email, password_hash } = person;
  for (const { accountId } of (await membershipsOf(deps.db, id)).slice(0, 1))
    await deps.untilUnlocked(accountId);
  const checkedHash = AFTER_PASSWORD.includes(method) ? (password_hash ?? undefined) : undefined;
  const checked = { id, checkedHash };
  const ip = clientIp(request);
  const begun = await beginSession(deps, checked, {
    ...{ replaced: request.browser.value, userAgent: request.headers['user-agent'], ip, alsoStore },
    browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
  });
  if (!begun) return sendRefused(reply, site, { kind: 'wrong' }, { returnTo, email });
  deps.log('info', 'signed in', { method, ...digestsOf({ email, ip }) });
  giveCookie(reply, site, begun.cookie);
  setOwnCookie(reply, site, { ...KNOWN_BROWSER, value: begun.browserToken });
  return reply.redirect(site.link(returnTo ?? HOME), 303);
}

/**
 * Recognises the browser that requests a page. Each browser gets a cookie with a random value, even before a sign-in,
 * because the tokens of forms are derived from it. A sign-in adds a session for the value.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { digestOf } from '../../../shared/sha256.ts';
import { Failure } from '../../core/failures.ts';
import type { Deps } from '../../deps/deps.ts';
import { isByItself } from '../../pages/by-itself.ts';
import { senderOf } from '../../pages/form-sender.ts';
import type { Site } from '../../pages/page-urls.ts';
import { formTokenOf, isValue, makeValue } from './cookie-value.ts';
import { findSession, type SignedIn } from './session-store.ts';

export interface Browser {
  /** The cookie's value. */
  readonly value: string;
  /** The token in its forms. */
  readonly formToken: string;
  /** `undefined` before the sign-in, and after the session has ended. */
  readonly signedIn: SignedIn | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on requests for pages. */
    browser: Browser;
  }
}

const SESSION = 'session';

/** Recognises the browser of every request in this scope. Needs `@fastify/cookie` there. */
export function recogniseBrowsers(
  app: FastifyInstance,
  site: Site,
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
): void {
  app.decorateRequest('browser');
  app.addHook('onRequest', async (request, reply) => {
    const sent = readOwnCookie(request, site, SESSION);
    const value = isValue(sent) ? sent : makeValue();
    if (value !== sent) giveFirstCookie(reply, site, value);
    const idleSeconds = isByItself(request) ? undefined : settings.durations.sessionIdle;
    const signedIn = value === sent ? await findSession(db, digestOf(value), idleSeconds) : undefined;
    request.browser = { value, formToken: formTokenOf(value, signedIn?.account?.id), signedIn };
  });
}

/**
 * Sets no cookie in response to a form from another site. Browsers do not send the existing cookie with such forms, so
 * a new one would replace their session.
 */
function giveFirstCookie(reply: FastifyReply, site: Site, value: string): void {
  const { request } = reply;
  if (request.method === 'POST' && senderOf(request, site) !== 'own') throw new Failure('cookieMissing');
  giveCookie(reply, site, value);
}

/**
 * Sets the cookie. It expires when the browser is closed.
 *
 * `Lax`, not `Strict`, because people follow links from other sites to the pages. Forms of other sites do not send it.
 */
export function giveCookie(reply: FastifyReply, site: Site, value: string): void {
  setOwnCookie(reply, site, { name: SESSION, value });
}

export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  /** @default until the browser is closed */
  readonly seconds?: number;
}

/** Sets a cookie that scripts cannot read and that forms of other sites do not send. */
export function setOwnCookie(reply: FastifyReply, site: Site, { name, value, seconds }: OwnCookie): void {
  const { request } = reply;
  reply.setCookie(cookieName(name, request, site), value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request, site),
    ...(seconds !== undefined && { maxAge: seconds }),
  });
}

export const readOwnCookie = (request: FastifyRequest, site: Site, name: string): string | undefined =>
  request.cookies[cookieName(name, request, site)];

/** The prefix makes browsers refuse the cookie from other hosts of the domain, and over plain HTTP (RFC 6265bis, 4.1.3.2). */
const cookieName = (name: string, request: FastifyRequest, site: Site): string =>
  isSecure(request, site) ? `__Host-${name}` : name;

/** Without `publicUrl`, a proxy may still state that it uses TLS. */
const isSecure = (request: FastifyRequest, site: Site): boolean =>
  site.isSecure || request.protocol === 'https';

/**
 * Who asks for a page. Every browser has a cookie with a random value, also before anybody signs in: the tokens of the
 * forms follow from it. Only after a sign-in there is a session for the value.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';
import { formTokenOf, isValue, makeValue } from '../sessions/cookie-value.ts';
import type { Sessions, SignedIn } from '../sessions/sessions.ts';
import { senderOf } from './sender.ts';
import type { Site } from './site.ts';

export interface Browser {
  /** The cookie's value. */
  readonly value: string;
  /** What its forms carry. */
  readonly formToken: string;
  /** `undefined` before the sign-in, and when the session has ended. */
  readonly signedIn: SignedIn | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request for a page. */
    browser: Browser;
  }
}

const SESSION = 'session';

/** Recognises the browser of every request in this scope. Needs `@fastify/cookie` there. */
export function recogniseBrowsers(app: FastifyInstance, site: Site, sessions: Sessions): void {
  app.decorateRequest('browser');
  app.addHook('onRequest', async (request, reply) => {
    const sent = readOwnCookie(request, site, SESSION);
    const value = isValue(sent) ? sent : makeValue();
    if (value !== sent) giveFirstCookie(request, reply, site, value);
    const signedIn = value === sent ? await sessions.find(value) : undefined;
    request.browser = { value, formToken: formTokenOf(value), signedIn };
  });
}

/**
 * Not to the form of who knows whom: browsers do not send the cookie with forms of other sites, and a new cookie would
 * take the place of the session that they have.
 */
function giveFirstCookie(request: FastifyRequest, reply: FastifyReply, site: Site, value: string): void {
  if (request.method === 'POST' && senderOf(request, site) !== 'own') throw new Failure('cookieMissing');
  giveCookie(request, reply, site, value);
}

/**
 * Gives the browser a value. It goes when the browser is closed.
 *
 * `Lax`, and not `Strict`: a person comes to the pages by links of other sites. Forms of other sites do not bring it.
 */
export function giveCookie(request: FastifyRequest, reply: FastifyReply, site: Site, value: string): void {
  setOwnCookie(request, reply, site, { name: SESSION, value });
}

export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  /** @default until the browser is closed */
  readonly seconds?: number;
}

/** Sets a cookie that no script can read and that is not sent with forms of other sites. */
export function setOwnCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
  { name, value, seconds }: OwnCookie,
): void {
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

/** Also without `publicUrl`, a proxy in front may say that it speaks TLS. */
const isSecure = (request: FastifyRequest, site: Site): boolean =>
  site.isSecure || request.protocol === 'https';

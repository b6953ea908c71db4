/** The headers that every answer carries, and those that let a page read it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Key } from '../keys/key-ring.ts';
import { DATA_HEADERS, TLS_HEADERS } from './security-headers.ts';

/** What scripts may read besides the body. */
const EXPOSED = 'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';

/** Of every answer. In lower case, as Fastify keeps them: it would look each name up anew for each answer. */
const COMMON_HEADERS = Object.fromEntries(
  Object.entries({ ...DATA_HEADERS, Vary: 'Origin', 'Cache-Control': 'no-store' }).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]),
);

/** Set before anything can go wrong, so that failures carry them too. Files have more to say, and say it themselves. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS);
  if (request.protocol === 'https') reply.headers(TLS_HEADERS);
}

/** Lets the page read the answer when the request's key trusts its origin. */
export function setReadableBy(reply: FastifyReply, key: Key | undefined, origin: string | undefined): void {
  if (origin === undefined || key?.kind !== 'public' || !key.trustsOrigin(origin)) return;
  reply.header('Access-Control-Allow-Origin', origin);
  reply.header('Access-Control-Expose-Headers', EXPOSED);
}

/** Takes that back, until it is known which key the request has. */
export function setUnreadable(reply: FastifyReply): void {
  reply.removeHeader('Access-Control-Allow-Origin');
  reply.removeHeader('Access-Control-Expose-Headers');
}

/** The API's own part of the address space, as against the files beside it. */
export function isApi(request: FastifyRequest): boolean {
  return /^\/(v1|oauth)(?![^/?])/.test(request.raw.url ?? '');
}

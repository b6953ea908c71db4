/** The headers that every response carries. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DATA_HEADERS, TLS_HEADERS } from './security-headers.ts';

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

/** The part of the address space that takes API keys and access tokens. */
export function takesCredentials(request: FastifyRequest): boolean {
  return /^\/v1(?![^/?])/.test(request.raw.url ?? '');
}

/** The API's own part of the address space, as against the files beside it. */
export function isApi(request: FastifyRequest): boolean {
  return /^\/(v1|oauth)(?![^/?])/.test(request.raw.url ?? '');
}

/** The headers that every response carries. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DATA_HEADERS, TLS_HEADERS } from './security-headers.ts';

const HEADERS = { ...DATA_HEADERS, Vary: 'Origin', 'Cache-Control': 'no-store' };
/** The headers of every response, in lower case. Fastify would otherwise convert each name for each response. */
const COMMON_HEADERS = Object.fromEntries(
  Object.entries(HEADERS).map(([name, value]) => [name.toLowerCase(), value]),
);

/** Sets them before anything can fail, so that failures have them too. Routes of files set more. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS);
  if (request.protocol === 'https') reply.headers(TLS_HEADERS);
}

/** Whether the URL belongs to the part that takes API keys and access tokens. */
export function takesCredentials(request: FastifyRequest): boolean {
  return /^\/v1(?![^/?])/.test(request.raw.url ?? '');
}

/** Whether the URL belongs to the API, and not to files. */
export function isApi(request: FastifyRequest): boolean {
  return /^\/(v1|oauth)(?![^/?])/.test(request.raw.url ?? '');
}

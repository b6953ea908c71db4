/** CORS: which pages may read a response. */
import type { FastifyReply } from 'fastify';
import { PROOF_HEADER } from '../../protocol/proof.ts';
import type { Key } from '../keys/key.ts';

/** The headers that scripts may read. */
const EXPOSED = `Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ${PROOF_HEADER}`;

/** Lets the page read the response if the request's key trusts its origin. */
export function setReadableBy(reply: FastifyReply, key: Key | undefined, origin: string | undefined): void {
  if (origin === undefined || key?.kind !== 'public' || !key.trustsOrigin(origin)) return;
  reply.header('Access-Control-Allow-Origin', origin);
  reply.header('Access-Control-Expose-Headers', EXPOSED);
}

/** Undoes that, until the request's key is known. */
export function setUnreadable(reply: FastifyReply): void {
  reply.removeHeader('Access-Control-Allow-Origin');
  reply.removeHeader('Access-Control-Expose-Headers');
}

/** Whether there is a body, and its size limit. A route with a larger limit sets Fastify's `bodyLimit`. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';

/** Whether the request announces a body. */
export function hasBody({ raw: { headers } }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/** The most bytes that the body of this request may have. */
export function bodyLimitOf({ routeOptions }: FastifyRequest): number {
  return routeOptions.bodyLimit;
}

/** The failure for a body above its route's limit. */
export function bodyTooLarge(request: FastifyRequest): Failure {
  return new Failure('bodyTooLarge', `Expected a body of at most ${bodyLimitOf(request) / 1024} KiB.`);
}

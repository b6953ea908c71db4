/** Whether there is a body, and its size limit. A route with a larger limit sets Fastify's `bodyLimit`. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';

/** Whether the request announces a body. */
export function hasBody({ raw: { headers } }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/** The most bytes that the body of this request may have. */
export function bodyLimitOf({ routeOptions, largeBody }: FastifyRequest): number {
  return largeBody?.bytes ?? routeOptions.bodyLimit;
}

/** The failure for a body above its limit. */
export function bodyTooLarge(request: FastifyRequest): Failure {
  const most = bodyLimitOf(request);
  const said = most % 1024 === 0 ? `${most / 1024} KiB` : `${most} bytes`;
  return new Failure('bodyTooLarge', `Expected a body of at most ${said}.`);
}

/** How large a body may be. A route that takes larger ones than others says so by Fastify's `bodyLimit`. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';

/** The most bytes that the body of this request may have. */
export function bodyLimitOf({ routeOptions }: FastifyRequest): number {
  return routeOptions.bodyLimit;
}

/** The failure for a body that is larger than its route takes. */
export function bodyTooLarge(request: FastifyRequest): Failure {
  return new Failure('bodyTooLarge', `Expected a body of at most ${bodyLimitOf(request) / 1024} KiB.`);
}

/** Counts requests: so many in the second that begins with the first, for each key and endpoint. */
import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Failure } from '../failures.ts';
import type { Key } from '../keys/key.ts';

/** The parts of the API that have a limit of their own. */
export type Endpoint = 'verify' | 'batch' | 'account';

/** Requests a second. */
export type RateLimits = Readonly<Record<Endpoint, number>>;

/** @see interface, section 8 */
export const DEFAULT_RATES: RateLimits = { verify: 25, batch: 5, account: 5 };

/** Where a key stands after one more request. */
export interface RateCount {
  readonly limit: number;
  readonly remaining: number;
  /** When the next second begins, in milliseconds since 1970. */
  readonly resetsAt: number;
  readonly isExceeded: boolean;
}

/** Counts one request. Whatever its response is, it stays counted. */
export type CountRate = (key: Key, endpoint: Endpoint) => Promise<RateCount>;

/** The counts of one process. */
export function countInMemory(limits: RateLimits): CountRate {
  const limiters = {
    verify: new RateLimiterMemory({ points: limits.verify, duration: 1 }),
    batch: new RateLimiterMemory({ points: limits.batch, duration: 1 }),
    account: new RateLimiterMemory({ points: limits.account, duration: 1 }),
  };
  return (key, endpoint) => {
    const limit = limits[endpoint];
    const toCount = ({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes): RateCount => ({
      limit,
      remaining: remainingPoints,
      resetsAt: Date.now() + msBeforeNext,
      isExceeded: consumedPoints > limit,
    });
    // The library rejects with the count of a refused request.
    return limiters[endpoint].consume(key.id).then(toCount, toCount);
  };
}

/**
 * Tells the client where it stands.
 *
 * @throws {Failure} 429 when the limit is exceeded
 */
export function tellRate(reply: FastifyReply, { limit, remaining, resetsAt, isExceeded }: RateCount): void {
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    // A point in time, in seconds, as the interface's known clients read it.
    'ratelimit-reset': Math.ceil(resetsAt / 1000),
  });
  // The second that is full has begun already: one more is always enough.
  if (isExceeded) throw new Failure('tooManyRequests', undefined, { 'Retry-After': '1' });
}

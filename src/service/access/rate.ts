/** Counts the requests of a caller for each endpoint, and tells the client where it stands. */
import type { FastifyReply } from 'fastify';
import type { Limits } from '../config/limits.ts';
import { Failure } from '../failures.ts';
import type { Key } from '../keys/key.ts';
import type { RateCount, RateLimit } from '../limits/rate-limit.ts';

/** The parts of the API that have a limit of their own. */
export type Endpoint = 'verify' | 'batch' | 'account';

/** The names under which counts are kept. */
const PATHS: Readonly<Record<Endpoint, string>> = {
  verify: '/v1/verify',
  batch: '/v1/batch',
  account: '/v1/account',
};

/** Counts one request. Whatever its response is, it stays counted. */
export type CountRate = (key: Key, endpoint: Endpoint) => Promise<RateCount>;

export type RateLimits = Pick<Limits, 'verifyPerSecond' | 'batchPerSecond' | 'accountPerSecond'>;

/**
 * All keys of an account share its count, in every process. A key of the config has a count of its own, in this process.
 *
 * @param stored absent in a service without a database
 */
export function createCountRate(limits: RateLimits, memory: RateLimit, stored?: RateLimit): CountRate {
  return (key, endpoint) => {
    const limit = limitOf(key, endpoint, limits);
    const limiter = key.account && stored ? stored : memory;
    return limiter.consume({ accountId: key.account?.id ?? key.id, endpoint: PATHS[endpoint], limit });
  };
}

/** What the operator gave the account, or what the config says. */
export function limitOf({ account }: Key, endpoint: Endpoint, limits: RateLimits): number {
  return account?.[`${endpoint}PerSecond`] ?? limits[`${endpoint}PerSecond`];
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
    'ratelimit-reset': Math.ceil(resetsAt.getTime() / 1000),
  });
  // The second that is full has begun already: one more is always enough.
  if (isExceeded) throw new Failure('tooManyRequests', undefined, { 'Retry-After': '1' });
}

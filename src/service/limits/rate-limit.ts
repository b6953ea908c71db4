/** The limit of requests per second: its interface, and its in-memory implementation. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Reason } from '../../protocol/result.ts';

/** The subject of a request's count. */
export interface CountedRequest {
  /** An account for its private keys, or a key. */
  readonly subject: string;
  /** Such as `/v1/verify`. */
  readonly endpoint: string;
  /** How many requests are allowed in the second that begins with the first one, 1 or more. */
  readonly limit: number;
  /** The reason of its sample result, which counts by day unless the request is over the limit. The subject is an account. */
  readonly sample?: Reason | undefined;
}

/** The requests of the current second. */
export interface RateCount {
  /** Includes this request and refused ones. */
  readonly count: number;
  readonly limit: number;
  readonly remaining: number;
  /** When the second ends. */
  readonly resetsAt: Date;
  /** Whether this request must be refused. */
  readonly isExceeded: boolean;
}

/** Counts a request, regardless of its response. */
export interface RateLimit {
  consume(request: CountedRequest): Promise<RateCount>;
}

/** Counts in this process only, and no sample results, because these belong to accounts. */
export function createRateLimit(): RateLimit {
  // Each request brings its own limit, so the limiter only counts.
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 1 });
  return {
    async consume({ subject, endpoint, limit }) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(`${subject} ${endpoint}`);
      return rateCount(consumedPoints, limit, new Date(Date.now() + msBeforeNext));
    },
  };
}

/** Derives the rest from the count. */
export function rateCount(count: number, limit: number, resetsAt: Date): RateCount {
  return { count, limit, remaining: Math.max(0, limit - count), resetsAt, isExceeded: count > limit };
}

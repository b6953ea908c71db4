/**
 * The limit of requests per second, counted in the database for all processes together.
 *
 * Requests of a subject that come during a round trip share the next one. Each subject has its own round trips, so
 * that a locked row of one does not delay others.
 */
import { coalesce } from '../database/coalesce.ts';
import type { Db } from '../database/schema.ts';
import { countRequests } from './limit-store.ts';
import { type CountedRequest, type RateCount, type RateLimit, rateCount } from './rate-limit.ts';

/** After this time, the next round trip does not wait for a blocked one. */
const COALESCED = { atOnce: 3, most: 1_000, patienceMs: 50 };

/** The pending counts of a subject at an endpoint. */
interface Counter {
  count(request: CountedRequest): Promise<RateCount>;
  waiting: number;
}

export function createStoredRateLimit(db: Db): RateLimit {
  const counters = new Map<string, Counter>();
  return {
    async consume(request) {
      const name = `${request.subject} ${request.endpoint}`;
      const counter = counters.get(name) ?? createCounter(db, request);
      counters.set(name, counter);
      counter.waiting += 1;
      try {
        return await counter.count(request);
      } finally {
        counter.waiting -= 1;
        if (counter.waiting === 0) counters.delete(name);
      }
    },
  };
}

function createCounter(db: Db, { subject, endpoint }: CountedRequest): Counter {
  const count = coalesce(async (requests: readonly CountedRequest[]) => {
    const { requests: last, resets_at } = await countRequests(db, subject, endpoint, requests);
    const before = last - requests.length;
    return requests.map(({ limit }, index) => rateCount(before + index + 1, limit, resets_at));
  }, COALESCED);
  return { count, waiting: 0 };
}

/** The limit of requests per second, counted in the database for all processes together. */
import type { Db } from '../database/schema.ts';
import { type CountedRequest, type RateCount, type RateLimit, rateCount } from './rate-limit.ts';
import { countRequest } from './store.ts';

export function createStoredRateLimit(db: Db): RateLimit {
  return { consume: (request) => consumeRate(db, request) };
}

/** Counts one request. Call it outside a transaction: a rollback would undo the count. */
export async function consumeRate(
  db: Db,
  { accountId, endpoint, limit }: CountedRequest,
): Promise<RateCount> {
  const { requests, resets_at } = await countRequest(db, accountId, endpoint);
  return rateCount(requests, limit, resets_at);
}

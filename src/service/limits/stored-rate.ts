/** The limit of requests per second, counted in the database for all processes together. */
import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';
import { type CountedRequest, type RateCount, type RateLimit, rateCount } from './rate-limit.ts';

/** Counts by the database's clock, because the clocks of the processes differ. */
export function createStoredRateLimit(db: Db): RateLimit {
  return { consume: (request) => consumeRate(db, request) };
}

/** Counts one request. Call it outside a transaction: a rollback would undo the count. */
export async function consumeRate(
  db: Db,
  { accountId, endpoint, limit }: CountedRequest,
): Promise<RateCount> {
  const { rows } = await sql<{ requests: number; resets_at: Date }>`
    select requests, resets_at from count_request(${accountId}, ${endpoint})
  `.execute(db);
  const { requests, resets_at } = rows[0]!;
  return rateCount(requests, limit, resets_at);
}

/** The SQL of limits. The clock is the database's, because the clocks of the processes differ. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { networkOf } from '../../shared/ip.ts';
import type { Db } from '../database/schema.ts';
import type { Visitor } from './unique-per-day.ts';

const TODAY = sql<Date>`(clock_timestamp() at time zone 'UTC')::date`;

/** The requests of the current second, this one included. */
export interface CountedSecond {
  readonly requests: number;
  /** When the second ends. */
  readonly resets_at: Date;
}

/**
 * Counts simultaneous requests, as the function `count_request` of the database does for one. Call it outside a
 * transaction, because a rollback would undo the count.
 *
 * @returns the count after the last one of them
 */
export async function countRequests(
  db: Db,
  accountId: string,
  endpoint: string,
  amount: number,
): Promise<CountedSecond> {
  // The clock is read once the row is locked, so that `started_at` never goes back while requests wait for each other.
  const { rows } = await sql<CountedSecond>`
    insert into rates as rate (account_id, endpoint, started_at, count)
    values (${accountId}, ${endpoint}, clock_timestamp(), ${amount})
    on conflict (account_id, endpoint) do update set (started_at, count) = (
      select
        case when is_new then at else rate.started_at end,
        case when is_new then excluded.count else rate.count + excluded.count end
      from (select clock_timestamp() as at) as clock, lateral (
        select rate.started_at <= at - interval '1 second' or rate.started_at > at + interval '1 second' as is_new
      ) as window_of_request
    )
    returning count as requests, started_at + interval '1 second' as resets_at
  `.execute(db);
  return rows[0]!;
}

/** Whether the address is one of today's, or there is room for it. Does not count it. */
export async function hasRoom(db: Db, visitor: Visitor, address: string, max: number): Promise<boolean> {
  const known = digest(visitor, address);
  const row = await db
    .selectFrom('visitors')
    .select(sql<boolean>`cardinality(addresses) < ${max} or ${known} = any(addresses)`.as('allowed'))
    .where('key_id', '=', visitor.keyId)
    .where('day', '=', TODAY)
    .where('network', '=', networkOf(visitor.ip))
    .executeTakeFirst();
  return row?.allowed ?? true;
}

/**
 * Counts the address, unless it is one of today's. The statement that checks for room locks the row first.
 *
 * @returns false if there was no room
 */
export async function takeAddress(db: Db, visitor: Visitor, address: string, max: number): Promise<boolean> {
  const taken = digest(visitor, address);
  const { rows } = await sql<{ is_in: boolean }>`
    insert into visitors as visitor (key_id, day, network, addresses)
    values (${visitor.keyId}, ${TODAY}, ${networkOf(visitor.ip)}, array[${taken}::bytea])
    on conflict (key_id, day, network) do update set addresses = case
      when cardinality(visitor.addresses) >= ${max} or ${taken} = any(visitor.addresses) then visitor.addresses
      else visitor.addresses || ${taken}::bytea
    end
    returning ${taken} = any(addresses) as is_in
  `.execute(db);
  return rows[0]!.is_in;
}

/** Deletes the visitors of the days before this one in UTC. */
export async function forgetVisitors(db: Db, before: Date): Promise<void> {
  const day = sql<Date>`${before.toISOString().slice(0, 10)}::date`;
  await db.deleteFrom('visitors').where('day', '<', day).execute();
}

/** Includes the key, so that the same address has a different digest for each key. Case does not matter. */
function digest({ keyId }: Visitor, address: string): Buffer {
  return createHash('sha256').update(`${keyId} ${address.toLowerCase()}`).digest().subarray(0, 16);
}

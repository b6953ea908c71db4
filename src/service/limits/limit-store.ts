/** The SQL of limits. The clock is the database's, because the clocks of the processes differ. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { networkOf } from '../../shared/ip.ts';
import { deleteSome } from '../database/delete-some.ts';
import type { Db } from '../database/schema.ts';
import type { CountedRequest } from './rate-limit.ts';
import type { Visitor } from './unique-per-day.ts';

const TODAY = sql<Date>`(statement_timestamp() at time zone 'UTC')::date`;

/** The requests of the current second, this one included. */
export interface CountedSecond {
  readonly requests: number;
  /** When the second ends. */
  readonly resets_at: Date;
}

/**
 * Counts simultaneous requests of a subject, and their sample results. Call it outside a transaction, because a rollback
 * would undo the count.
 *
 * @returns the count after the last one of them
 */
export async function countRequests(
  db: Db,
  subject: string,
  endpoint: string,
  requests: readonly Pick<CountedRequest, 'limit' | 'sample'>[],
): Promise<CountedSecond> {
  const { rows } = await sql<CountedSecond>`
    select requests, resets_at from count_requests(
      ${subject}, ${endpoint}, ${requests.map(({ limit }) => limit)}, ${requests.map(({ sample }) => sample)}
    )
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

/** Seconds until the next day begins in UTC, 1 or more. */
export async function readSecondsToMidnight(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from date_trunc('day', at) + interval '1 day' - at))::integer as seconds
    from (select clock_timestamp() at time zone 'UTC' as at) as clock
  `.execute(db);
  return rows[0]!.seconds;
}

/** Deletes some visitors of days that are over. @returns whether there may be more */
export const forgetVisitors = (db: Db): Promise<boolean> => deleteSome(db, 'visitors', sql`day < ${TODAY}`);

/** Deletes some visitors of an account's keys. @returns whether there may be more */
export const forgetVisitorsOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'visitors', sql`key_id in (select id from keys where account_id = ${accountId})`);

/** Deletes counted seconds of an account and of its keys. @returns whether there may be more */
export const forgetRatesOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(
    db,
    'rates',
    sql`account_id = any(array(select id from keys where account_id = ${accountId}) || ${accountId}::text)`,
  );

/** Includes the key, so that the same address has a different digest for each key. Case does not matter. */
function digest({ keyId }: Visitor, address: string): Buffer {
  return createHash('sha256').update(`${keyId} ${address.toLowerCase()}`).digest().subarray(0, 16);
}

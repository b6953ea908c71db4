/** The limit of different addresses per day and visitor, counted in the database for all processes together. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { networkOf } from '../../network/ip.ts';
import type { Db } from '../database/schema.ts';
import { secondsToMidnight, type UniquePerDayLimit, type Visitor } from './unique-per-day.ts';

const TODAY = sql<Date>`(clock_timestamp() at time zone 'UTC')::date`;

/** @param max how many addresses each visitor may verify in a day */
export function createStoredUniquePerDayLimit(db: Db, max: number): UniquePerDayLimit {
  return {
    allows: (visitor, address) => hasRoom(db, visitor, address, max),
    take: (visitor, address) => takeAddress(db, visitor, address, max),
    secondsToReset: secondsToMidnight,
  };
}

/** Whether the address is one of today's, or there is room for it. It stores nothing. */
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
 * Counts the address, unless it is one of today's. The statement that looks for room locks the row first.
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

/** The key is part of it, so that the same address has other digests elsewhere. Case does not make another address. */
function digest({ keyId }: Visitor, address: string): Buffer {
  return createHash('sha256').update(`${keyId} ${address.toLowerCase()}`).digest().subarray(0, 16);
}

/** The SQL of limits. The clock is the database's, because the clocks of the processes differ. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { networkOf } from '../../shared/ip.ts';
import { deleteSome } from '../database/delete-some.ts';
import type { Db } from '../database/schema.ts';
import type { NetworkRule } from './network-limit.ts';
import type { CountedRequest } from './rate-limit.ts';
import type { Taken, Visitor } from './unique-per-day.ts';

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

/** Something that a network does. Without a count, it only asks. */
export type DoneByNetwork = { readonly network: string; readonly isCounted: boolean };

/**
 * Counts what networks do at the same time, in one statement.
 *
 * @returns for each of them 0, or for how many seconds its network is refused
 */
export async function countNetworks(
  db: Db,
  { name, most, seconds }: NetworkRule,
  asked: readonly DoneByNetwork[],
): Promise<number[]> {
  const period = sql`make_interval(secs => ${seconds})`;
  const rest = sql`extract(epoch from ends_at - clock_timestamp())::float8 as seconds`;
  const { rows } = await sql<{ network: string; added: number; count: number; seconds: number }>`
    with asked as (
      select network, count(*) filter (where is_counted)::integer as added
      from unnest(
        ${asked.map(({ network }) => network)}::text[], ${asked.map(({ isCounted }) => isCounted)}::boolean[]
      ) as each (network, is_counted)
      group by network
    ), counted as (
      insert into network_counts as known (name, network, count, ends_at)
      -- In one order, so that processes do not wait for each other in a circle.
      select ${name}, network, added, clock_timestamp() + ${period} from asked where added > 0 order by network
      -- The clock is read once the row is locked. If it is set back, a new count begins.
      on conflict (name, network) do update set (count, ends_at) = (
        select
          case when is_new then excluded.count else known.count + excluded.count end,
          case
            when is_new or (known.count <= ${most} and known.count + excluded.count > ${most}) then at + ${period}
            else known.ends_at
          end
        from (select clock_timestamp() as at) as clock, lateral (
          select known.ends_at <= at or known.ends_at > at + ${period} as is_new
        ) as time_of_count
      )
      returning network, count, ends_at
    )
    select network, added, count, ${rest} from counted join asked using (network)
    union all
    select network, added, count, ${rest} from network_counts join asked using (network)
    where name = ${name} and added = 0
      and ends_at > clock_timestamp() and ends_at <= clock_timestamp() + ${period}
  `.execute(db);
  const counts = new Map(rows.map((row) => [row.network, { ...row, reached: row.count - row.added }]));
  return asked.map(({ network, isCounted }) => {
    const found = counts.get(network);
    if (found && isCounted) found.reached += 1;
    return found && found.reached > most ? Math.max(0.001, found.seconds) : 0;
  });
}

/** Deletes some counts of networks whose time is over. @returns whether there may be more */
export const forgetNetworkCounts = (db: Db): Promise<boolean> =>
  deleteSome(db, 'network_counts', sql`ends_at <= statement_timestamp()`);

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
export async function takeAddress(db: Db, visitor: Visitor, address: string, max: number): Promise<Taken> {
  const taken = digest(visitor, address);
  const { rows } = await sql<{ taken: Taken | null }>`
    with before as (
      select from visitors
      where key_id = ${visitor.keyId} and day = ${TODAY} and network = ${networkOf(visitor.ip)}
        and ${taken} = any(addresses)
    )
    insert into visitors as visitor (key_id, day, network, addresses)
    values (${visitor.keyId}, ${TODAY}, ${networkOf(visitor.ip)}, array[${taken}::bytea])
    on conflict (key_id, day, network) do update set addresses = case
      when cardinality(visitor.addresses) >= ${max} or ${taken} = any(visitor.addresses) then visitor.addresses
      else visitor.addresses || ${taken}::bytea
    end
    returning case when exists (select from before) then 'known' when ${taken} = any(addresses) then 'new' end as taken
  `.execute(db);
  return rows[0]!.taken ?? false;
}

/** Counts the latest address of a visitor no longer, if it is this one. Nothing is left of a visitor without addresses. */
export async function giveAddressBack(db: Db, visitor: Visitor, address: string): Promise<void> {
  const given = digest(visitor, address);
  const its = sql`key_id = ${visitor.keyId} and day = ${TODAY} and network = ${networkOf(visitor.ip)}`;
  await sql`
    with gone as (delete from visitors where ${its} and addresses = array[${given}::bytea])
    update visitors set addresses = trim_array(addresses, 1)
    where ${its} and cardinality(addresses) > 1 and addresses[cardinality(addresses)] = ${given}
  `.execute(db);
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

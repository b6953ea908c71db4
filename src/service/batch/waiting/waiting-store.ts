/**
 * The SQL of what a batch waits for. Addresses and results are JSON, and are read as text (`result-store.ts` explains
 * why).
 */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** The most addresses to read of a larger batch. */
export const MOST_LOOKED_AT = 50_000;
const MOST_DOMAINS = 1_000;

/** A domain of addresses without a result. */
export type OpenDomain = { readonly domain: string; readonly addresses: number };

/**
 * The domains with the most open addresses.
 *
 * @param isLater whether of those that are tried again later. Otherwise, of those that are ready or claimed.
 */
export async function readOpenDomains(db: Db, id: string, isLater: boolean): Promise<OpenDomain[]> {
  const { rows } = await sql<OpenDomain>`
    select domain, count(*) as addresses from (
      select rtrim(lower(split_part(address::text, '@', -1)), '"') as domain from batch_rows
      where batch_id = ${id} and reason is null and (due_at is not null) = ${isLater}::boolean limit ${MOST_LOOKED_AT}
    ) as open
    group by domain order by addresses desc, domain limit ${MOST_DOMAINS}
  `.execute(db);
  return rows;
}

/** The mail server that was asked for other addresses of the domain. */
export type KnownServer = { readonly domain: string; readonly mx_record: string };

export async function readKnownServers(
  db: Db,
  id: string,
  domains: readonly string[],
): Promise<KnownServer[]> {
  const { rows } = await sql<KnownServer>`
    select domain, min(mx_record) as mx_record from (
      select rtrim(lower(split_part(address::text, '@', -1)), '"') as domain,
        split_part(split_part(result::text, '"mx_record":"', 2), '"', 1) as mx_record
      from batch_rows where batch_id = ${id} and reason is not null limit ${MOST_LOOKED_AT}
    ) as known
    where domain = any(${domains}::text[]) and mx_record <> '' group by domain
  `.execute(db);
  return rows;
}

/** Whether other batches are being verified, of any account. */
export async function areOthersOpen(db: Db, id: string): Promise<boolean> {
  const other = await db
    .selectFrom('batches')
    .select('id')
    .where('id', '<>', id)
    .where('completed_at', 'is', null)
    .where('paused_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

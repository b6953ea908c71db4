/** The SQL that reads who has granted what: the apps of an account, and the accounts of an app. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { IDLE } from './token-store.ts';

/** An app with tokens of the account. */
export interface GrantedApp {
  readonly client_id: string;
  readonly name: string;
  readonly since: Date;
  readonly last_used: Date;
}

/** The most apps that a page shows. */
export const MOST_GRANTED_APPS = 100;

/** The apps with tokens of the account, by name. With more than {@link MOST_GRANTED_APPS}, those that were used last. */
export async function listGrantedApps(db: Db, accountId: string): Promise<GrantedApp[]> {
  const { rows } = await sql<GrantedApp>`
    with recursive ${latestGrants('account', accountId, MOST_GRANTED_APPS)}
    select client_id, name, since, last_used from latest cross join lateral (
      select name from apps where apps.client_id = latest.client_id limit 1
    ) as app
    order by lower(name), client_id
  `.execute(db);
  return rows;
}

/** An account that has authorised an app. */
export interface Authorisation {
  readonly owner_email: string;
  readonly since: Date;
  /** When the app last got a pair of tokens. */
  readonly last_used: Date;
}

/** The most authorisations that a page shows. */
const MOST_AUTHORISATIONS = 100;

export interface Authorisations {
  /** The accounts that used the app last. */
  readonly latest: readonly Authorisation[];
  readonly hasMore: boolean;
}

/** The accounts that have authorised an app. */
export async function listAuthorisations(db: Db, clientId: string): Promise<Authorisations> {
  const { rows } = await sql<Authorisation>`
    with recursive ${latestGrants('app', clientId, MOST_AUTHORISATIONS + 1)}
    select owner_email, since, last_used from latest cross join lateral (
      select owner_email from accounts where accounts.id = latest.account_id limit 1
    ) as account
    order by last_used desc, account_id
  `.execute(db);
  return { latest: rows.slice(0, MOST_AUTHORISATIONS), hasMore: rows.length > MOST_AUTHORISATIONS };
}

const SIDES = {
  account: { owner: sql`account_id`, other: sql`client_id` },
  app: { owner: sql`client_id`, other: sql`account_id` },
} as const;

/**
 * The part of a `with recursive` that finds the latest grants of one side, each with its first. It goes through an index
 * from the latest on, and each step takes the next that is not yet there, so it reads only what a page shows, however
 * many there are.
 */
function latestGrants(side: keyof typeof SIDES, id: string, most: number) {
  const { owner, other } = SIDES[side];
  const next = (after: ReturnType<typeof sql>) => sql`
    select ${other} as found, issued_at, handle from token_families
    where ${owner} = ${id} and access_expires_at > ${IDLE} ${after}
    order by issued_at desc, handle desc limit 1
  `;
  return sql`
    steps as (
      select first.*, array[found] as seen from (${next(sql``)}) as first
      union all
      select next.*, seen || next.found from steps cross join lateral (
        ${next(sql`and (issued_at, handle) < (steps.issued_at, steps.handle) and ${other} <> all(seen)`)}
      ) as next
      where cardinality(seen) < ${most}
    ), latest as (
      select found as ${other}, since, issued_at as last_used from steps cross join lateral (
        select min(created_at) as since from token_families
        where ${owner} = ${id} and ${other} = found and access_expires_at > ${IDLE}
      ) as earliest
    )
  `;
}

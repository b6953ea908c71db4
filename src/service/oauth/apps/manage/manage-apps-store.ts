/** The SQL of managing apps: their changes, and the accounts that authorised them. */
import { sql } from 'kysely';
import type { Db } from '../../../database/schema.ts';
import { holdAccount } from '../../../people/accounts/account-store.ts';
import { type App, addRedirectUris, findApp } from '../app-store.ts';

/** Identifies an app. */
export interface Named {
  readonly clientId: string;
  /** The account that must own the app. Absent for the operator. */
  readonly accountId?: string | undefined;
}

/** The settings that an owner can change. */
export interface AppSettings {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly allowsDevice: boolean;
}

/** Locks the account that made an app, then the app. Undefined if the app does not exist. */
export async function lockApp(db: Db, { clientId, accountId }: Named): Promise<App | undefined> {
  const found = await db
    .selectFrom('apps')
    .select('account_id')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (!found || (accountId !== undefined && found.account_id !== accountId)) return undefined;
  await holdAccount(db, found.account_id);
  await db.selectFrom('apps').select('client_id').where('client_id', '=', clientId).forUpdate().execute();
  // Reads again under the lock.
  return findApp(db, clientId);
}

/** Also deletes the codes for redirect URIs that are removed. */
export async function updateApp(db: Db, clientId: string, settings: AppSettings): Promise<void> {
  const { name, redirectUris, allowsDevice } = settings;
  await db
    .updateTable('apps')
    .set({ name, allows_device: allowsDevice })
    .where('client_id', '=', clientId)
    .execute();
  await addRedirectUris(db, clientId, redirectUris);
  await db
    .deleteFrom('app_redirect_uris')
    .where('client_id', '=', clientId)
    .where(sql<boolean>`uri <> all(${[...redirectUris]}::text[])`)
    .execute();
}

/** @param overlapSeconds how long the old secret still works */
export async function replaceSecret(
  db: Db,
  clientId: string,
  secret: Buffer,
  overlapSeconds: number,
): Promise<void> {
  const until = sql<Date>`clock_timestamp() + make_interval(secs => ${overlapSeconds}::integer)`;
  await db
    .updateTable('apps')
    .set({
      secret,
      ...(overlapSeconds > 0
        ? { former_secret: sql<Buffer>`secret`, former_secret_until: until }
        : { former_secret: null, former_secret_until: null }),
    })
    .where('client_id', '=', clientId)
    .execute();
}

/** @returns whether the old secret still worked */
export async function endFormerSecret(db: Db, clientId: string): Promise<boolean> {
  const { rows } = await sql`
    update apps set former_secret = null, former_secret_until = null
    where client_id = ${clientId} and former_secret_until > clock_timestamp()
    returning client_id
  `.execute(db);
  return rows.length > 0;
}

/** How many apps the account has made. */
export async function countApps(db: Db, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('apps')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

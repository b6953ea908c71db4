/** The SQL of OAuth apps. */
import { type Selectable, sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';

/** An app as it is stored. */
export interface App extends Selectable<Schema['apps']> {
  readonly redirect_uris: readonly string[];
  /** The email address of the account that made it. */
  readonly owner_email: string;
  /** Whether the old secret still works, by the clock of the database. */
  readonly has_former_secret: boolean;
}

export type NewApp = Omit<
  App,
  'created_at' | 'owner_email' | 'former_secret' | 'former_secret_until' | 'has_former_secret'
>;

/**
 * People who allowed a deleted app may still have pages of it open, so no other account gets its client id.
 *
 * @returns 'exists' if an app has this client id, or another account had one with it
 */
export async function insertApp(db: Db, { redirect_uris, ...app }: NewApp): Promise<'made' | 'exists'> {
  return inTransaction(db, async (transaction) => {
    if (!(await takeClientId(transaction, app))) return 'exists';
    const made = await transaction
      .insertInto('apps')
      .values(app)
      .onConflict((conflict) => conflict.column('client_id').doNothing())
      .returning('client_id')
      .executeTakeFirst();
    if (!made) return 'exists';
    await addRedirectUris(transaction, app.client_id, redirect_uris);
    return 'made';
  });
}

/** @returns whether the account has this client id now */
async function takeClientId(
  db: Db,
  { client_id, account_id }: Pick<NewApp, 'client_id' | 'account_id'>,
): Promise<boolean> {
  const taken = await db
    .insertInto('client_ids')
    .values({ client_id, account_id })
    .onConflict((conflict) =>
      conflict
        .column('client_id')
        .doUpdateSet({ account_id })
        .where('client_ids.account_id', '=', account_id),
    )
    .returning('client_id')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Existing ones stay unchanged. */
export async function addRedirectUris(db: Db, clientId: string, uris: readonly string[]): Promise<void> {
  const rows = [...new Set(uris)].map((uri) => ({ client_id: clientId, uri }));
  if (rows.length === 0) return;
  await db
    .insertInto('app_redirect_uris')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** @returns undefined also for an app of a deleted account, whose row the housekeeping deletes later */
export async function findApp(db: Db, clientId: string): Promise<App | undefined> {
  return selectApps(db)
    .where('client_id', '=', clientId)
    .where(sql<boolean>`exists (select from accounts where id = apps.account_id and deleted_at is null)`)
    .executeTakeFirst();
}

/** The apps of an account, oldest first. */
export async function listApps(db: Db, accountId: string): Promise<App[]> {
  return selectApps(db)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('client_id')
    .execute();
}

function selectApps(db: Db) {
  return db
    .selectFrom('apps')
    .selectAll()
    .select(sql<string>`(select owner_email from accounts where id = apps.account_id)`.as('owner_email'))
    .select(sql<boolean>`coalesce(former_secret_until > clock_timestamp(), false)`.as('has_former_secret'))
    .select(
      sql<string[]>`
      array(select uri from app_redirect_uris as uris where uris.client_id = apps.client_id order by uri)
    `.as('redirect_uris'),
    );
}

/** Deletes an app with all its codes and tokens. @returns whether the app existed */
export async function deleteApp(db: Db, clientId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('apps').where('client_id', '=', clientId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes some apps of an account. Few, because their redirect URIs go with them. @returns whether there may be more */
export const forgetAppsOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'apps', sql`account_id = ${accountId}`, 50);

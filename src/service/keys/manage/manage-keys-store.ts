/** The SQL of managing keys: for the owner's pages, and for changes. */
import { type Selectable, sql } from 'kysely';
import type { Db, Schema } from '../../database/schema.ts';
import { holdAccount } from '../../people/accounts/account-store.ts';
import { type ListedKey, openKey, sealCaptcha } from '../key-store.ts';

/** Identifies a key. */
export interface Named {
  readonly id: string;
  /** The account that must own the key. Absent for the operator. */
  readonly accountId?: string | undefined;
}

/** A key with the known facts of its current value. */
export interface OwnKey extends ListedKey {
  /** When the current value was created. It is unique among the values of a key. */
  readonly value_since: Date;
  /** The credits that a public key has spent today (UTC). */
  readonly spent_today: number;
}

/** An old value that still works after a roll. */
export type FormerValue = { readonly key_id: string; readonly last4: string; readonly expires_at: Date };

/** A recent refusal of a key. */
export type KeyRefusal = Selectable<Schema['key_refusals']>;

/** The settings that an owner can change. */
export type KeySettings = Pick<ListedKey, 'name' | 'trusted_domains' | 'trusted_ips' | 'daily_credits'> &
  Pick<ListedKey, 'captcha_provider' | 'captcha_secret' | 'siteverify_url'>;

/** How many revoked keys of an account are kept. */
const MOST_REVOKED = 100;
/** 20 refusals of each of 50 keys. */
const MOST_REFUSALS = 1_000;

const TODAY = sql<Date>`(clock_timestamp() at time zone 'UTC')::date`;

const selectKeys = (db: Db) =>
  db
    .selectFrom('keys')
    .innerJoin('key_values', (join) =>
      join.onRef('key_values.key_id', '=', 'keys.id').on('key_values.expires_at', 'is', null),
    )
    .leftJoin('key_spending', (join) =>
      join.onRef('key_spending.key_id', '=', 'keys.id').on('day', '=', TODAY),
    )
    .selectAll('keys')
    .select(['key_values.last4', 'key_values.created_at as value_since'])
    .select(sql<number>`coalesce(spent, 0)`.as('spent_today'));

/** The active keys of an account, latest first, and its latest revoked keys. */
export async function listOwnKeys(
  db: Db,
  accountId: string,
): Promise<{ readonly active: OwnKey[]; readonly revoked: OwnKey[] }> {
  const active = await listActiveKeys(db, accountId);
  const revoked = await selectKeys(db)
    .where('keys.account_id', '=', accountId)
    .where('revoked_at', 'is not', null)
    .orderBy('revoked_at', 'desc')
    .orderBy('keys.id')
    .limit(MOST_REVOKED)
    .execute();
  return { active, revoked: revoked.map((row) => openKey(db, row)) };
}

/** The active keys of an account, latest first. */
export async function listActiveKeys(db: Db, accountId: string): Promise<OwnKey[]> {
  const rows = await selectKeys(db)
    .where('keys.account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('keys.created_at', 'desc')
    .orderBy('keys.id')
    .execute();
  return rows.map((row) => openKey(db, row));
}

/** @returns undefined if the account has no such key */
export async function findOwnKey(db: Db, accountId: string, id: string): Promise<OwnKey | undefined> {
  const row = await selectKeys(db)
    .where('keys.account_id', '=', accountId)
    .where('keys.id', '=', id)
    .executeTakeFirst();
  return row && openKey(db, row);
}

/** The number of active keys of the account. */
export async function countKeys(db: Db, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('keys')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** The old values that still work, earliest end first. */
export async function listFormerValues(db: Db, accountId: string): Promise<FormerValue[]> {
  const { rows } = await sql<FormerValue>`
    select key_id, last4, expires_at from key_values join keys on keys.id = key_id
    where account_id = ${accountId} and revoked_at is null and expires_at > clock_timestamp()
    order by expires_at
  `.execute(db);
  return rows;
}

/** The recent refusals of the account's active keys, or of one of its keys. The latest come first. */
export async function listKeyRefusals(db: Db, accountId: string, id?: string): Promise<KeyRefusal[]> {
  return db
    .selectFrom('key_refusals')
    .innerJoin('keys', 'keys.id', 'key_refusals.key_id')
    .selectAll('key_refusals')
    .where('account_id', '=', accountId)
    .$call((query) =>
      id === undefined ? query.where('revoked_at', 'is', null) : query.where('keys.id', '=', id),
    )
    .orderBy('last_at', 'desc')
    .limit(MOST_REFUSALS)
    .execute();
}

/**
 * Deletes some revoked keys of an account, except the latest ones. The audit log still has them.
 *
 * There are rarely more than one, because each revocation does it.
 */
export async function forgetRevokedKeys(db: Db, accountId: string): Promise<void> {
  await sql`
    with former as (
      select id from keys where account_id = ${accountId} and revoked_at is not null
      order by revoked_at desc, id offset ${MOST_REVOKED} limit ${MOST_REVOKED}
    ), spent as (delete from key_spending where key_id = any(array(select id from former)))
    delete from keys where id = any(array(select id from former))
  `.execute(db);
}

/** Locks the account of a key, then the key. Undefined if the key does not exist. */
export async function lockKey(db: Db, { id, accountId }: Named): Promise<OwnKey | undefined> {
  const found = await db.selectFrom('keys').select('account_id').where('id', '=', id).executeTakeFirst();
  if (!found || (accountId !== undefined && found.account_id !== accountId)) return undefined;
  await holdAccount(db, found.account_id);
  await db.selectFrom('keys').select('id').where('id', '=', id).forUpdate().execute();
  // Reads again under the lock.
  return findOwnKey(db, found.account_id, id);
}

export async function updateKey(db: Db, id: string, settings: Partial<KeySettings>): Promise<void> {
  const { captcha_secret, ...others } = settings;
  const secret = captcha_secret === undefined ? {} : sealCaptcha(db, id, captcha_secret);
  const columns = { ...others, ...secret };
  await db.updateTable('keys').set(columns).where('id', '=', id).execute();
}

/** Ends the old values. @returns how many of them still worked */
export async function endFormerValues(db: Db, keyId: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('key_values')
    .set({ expires_at: sql<Date>`clock_timestamp()` })
    .where('key_id', '=', keyId)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

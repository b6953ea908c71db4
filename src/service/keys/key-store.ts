/** All SQL of keys. A key's value is never stored, only its digest. */
import { type Insertable, type Selectable, sql } from 'kysely';
import { digestOf } from '../../shared/sha256.ts';
import { makeId } from '../core/random-id.ts';
import { nowOr } from '../database/database-clock.ts';
import { deleteSome } from '../database/delete-some.ts';
import type { Db, Schema } from '../database/schema.ts';
import { type StoredPair, secretsOf } from '../database/secrets.ts';
import { inTransaction } from '../database/transaction.ts';
import type { UsedKey } from '../usage/usage-counter.ts';
import type { StoredAccount } from './account-of-key.ts';
import { makeKeyValue } from './key-value.ts';

/** The columns of a captcha's secret. */
type SecretColumns = 'captcha_secret' | 'sealed_captcha_secret';

/** A stored key, with the secret of its captcha as the provider gave it. */
export type KeyRow = Omit<Selectable<Schema['keys']>, SecretColumns> & {
  readonly captcha_secret: string | null;
};

/** A key, as an operator sees it. */
export type ListedKey = KeyRow & { readonly last4: string };

/** A key with its value, which can be shown only now. */
export type RevealedKey = ListedKey & { readonly key: string };

/** `trusted_domains` holds hosts in the form that `normaliseHost` returns. */
export type NewKey = Omit<Insertable<Schema['keys']>, 'id' | 'created_at' | 'revoked_at' | SecretColumns> & {
  readonly captcha_secret?: string | null | undefined;
  /** @default a new one */
  readonly id?: string;
};

/** The format of a key's id. */
export const KEY_ID = /^key_[0-9a-f]{24}$/;

export const makeKeyId = (): string => `key_${makeId()}`;

/** The key of a request, and the limits of its account. */
export interface KeyOfRequest {
  readonly key: KeyRow;
  /** The end of the value that the request was sent with. */
  readonly last4: string;
  readonly account: StoredAccount;
}

/** Creates a key with a new value. */
export async function createKey(db: Db, key: NewKey): Promise<RevealedKey> {
  const made = await importKey(db, key, makeKeyValue(key.mode));
  // 190 random bits do not repeat.
  if (made === 'exists') throw new Error('Expected a new key, got one that exists. Try again.');
  return made;
}

/**
 * Stores a key with a value chosen by the operator. Rolled keys and the latest revoked ones still occupy their values.
 *
 * @returns 'exists' if a key of any account already has this value or this id
 */
export async function importKey(db: Db, key: NewKey, value: string): Promise<RevealedKey | 'exists'> {
  const { id = makeKeyId(), captcha_secret = null, ...columns } = key;
  return inTransaction(db, async (transaction) => {
    const stored = await transaction
      .insertInto('keys')
      .values({ ...columns, id, ...sealCaptcha(db, id, captcha_secret) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!stored) return 'exists';
    const row = openKey(db, stored);
    const added = await addValue(transaction, row.id, value);
    if (added) return { ...row, ...added };
    await transaction.deleteFrom('keys').where('id', '=', row.id).execute();
    return 'exists';
  });
}

/** @returns the columns of a captcha's secret */
export function sealCaptcha(db: Db, id: string, secret: string | null) {
  const stored = secret === null ? NO_SECRET : secretsOf(db).seal('keys.captcha_secret', id, secret);
  return { captcha_secret: stored.clear, sealed_captcha_secret: stored.sealed };
}

const NO_SECRET: StoredPair = { clear: null, sealed: null };

/** @returns a row with the secret of its captcha as the provider gave it */
export function openKey<Row extends Pick<Selectable<Schema['keys']>, 'id' | SecretColumns>>(
  db: Db,
  row: Row,
) {
  const { captcha_secret: clear, sealed_captcha_secret: sealed, ...key } = row;
  const isThere = clear !== null || sealed !== null;
  return {
    ...key,
    captcha_secret: isThere ? secretsOf(db).open('keys.captcha_secret', row.id, { clear, sealed }) : null,
  };
}

/** @returns undefined if a key already has this value. Waits for a pending insert of another connection */
async function addValue(
  db: Db,
  keyId: string,
  value: string,
): Promise<{ key: string; last4: string } | undefined> {
  const last4 = value.slice(-4);
  const added = await db
    .insertInto('key_values')
    .values({ digest: digestOf(value), key_id: keyId, last4 })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('last4')
    .executeTakeFirst();
  return added && { key: value, last4 };
}

/** The keys of an account with the ends of their current values, oldest first, including revoked ones. */
export async function listKeys(db: Db, accountId: string): Promise<ListedKey[]> {
  const rows = await db
    .selectFrom('keys')
    .innerJoin('key_values', 'key_values.key_id', 'keys.id')
    .selectAll('keys')
    .select('key_values.last4')
    .where('keys.account_id', '=', accountId)
    .where('key_values.expires_at', 'is', null)
    .orderBy('keys.created_at')
    .orderBy('keys.id')
    .execute();
  return rows.map((row) => openKey(db, row));
}

/**
 * Gives a key a new value.
 *
 * @param overlapSeconds how long the old value still works
 * @param now the time, for tests. By default it is the database's
 * @returns undefined if there is no such key, or if it is revoked
 */
export async function rollKey(
  db: Db,
  id: string,
  overlapSeconds: number,
  now?: Date,
): Promise<RevealedKey | undefined> {
  return inTransaction(db, async (transaction) => {
    // Locked, so that of two simultaneous rolls, the later one ends the value of the earlier one.
    const stored = await transaction
      .selectFrom('keys')
      .selectAll()
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .forUpdate()
      .executeTakeFirst();
    if (!stored) return undefined;
    const row = openKey(db, stored);
    const end = sql`${nowOr(now)} + make_interval(secs => ${overlapSeconds})`;
    await transaction
      .updateTable('key_values')
      // A value that already ends earlier is not prolonged. least() ignores null.
      .set({ expires_at: sql<Date>`least(expires_at, ${end})` })
      .where('key_id', '=', id)
      .execute();
    const added = await addValue(transaction, id, makeKeyValue(row.mode));
    // 190 random bits do not repeat.
    if (!added) throw new Error('Expected a new value, got one that exists. Try again.');
    return { ...row, ...added };
  });
}

/** What a revoked key keeps. A public one must have a domain. Whoever creates and revokes keys would fill the disk with all. */
const REVOKED = {
  revoked_at: sql<Date>`clock_timestamp()`,
  trusted_domains: sql<string[]>`trusted_domains[1:1]`,
  trusted_ips: sql<string[]>`'{}'`,
  ...{ captcha_provider: null, captcha_secret: null, sealed_captcha_secret: null, siteverify_url: null },
};

/**
 * Stops all values of a key for good.
 *
 * @returns when, or undefined if the key does not exist or was revoked before
 */
export async function revokeKey(db: Db, id: string): Promise<Date | undefined> {
  const revoked = await db
    .updateTable('keys')
    .set(REVOKED)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('revoked_at')
    .executeTakeFirst();
  return revoked?.revoked_at ?? undefined;
}

/** Stops all keys of an account for good. */
export async function revokeKeysOf(db: Db, accountId: string): Promise<void> {
  await db
    .updateTable('keys')
    .set(REVOKED)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Deletes some keys of an account. Few, because their values go with them. @returns whether there may be more */
export const forgetKeysOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'keys', sql`account_id = ${accountId}`, 1_000);

/**
 * The key of a request, if it works now, and the limits of its account, in one query.
 *
 * @param now the time, for tests. By default it is the database's
 */
export async function findByDigest(db: Db, digest: Buffer, now?: Date): Promise<KeyOfRequest | undefined> {
  const row = await db
    .selectFrom('key_values')
    .innerJoin('keys', 'keys.id', 'key_values.key_id')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .selectAll('keys')
    .select(['last4', 'verify_per_second', 'batch_per_second', 'account_per_second', 'batch_size'])
    .where('key_values.digest', '=', digest)
    .where('keys.revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', nowOr(now))]))
    .executeTakeFirst();
  if (!row) return undefined;
  const { last4, verify_per_second, batch_per_second, account_per_second, batch_size, ...key } = row;
  const limits = { verify_per_second, batch_per_second, account_per_second, batch_size };
  return { key: openKey(db, key), last4, account: { id: key.account_id, ...limits } };
}

/**
 * Whether any active public key trusts one of the hosts.
 *
 * @param hosts the host of a page and the domains above it, in the form that `normaliseHost` returns
 */
export async function anyKeyTrustsHost(db: Db, hosts: readonly string[]): Promise<boolean> {
  // The conditions are those of the index keys_trusted_domains.
  const { rows } = await sql<{ trusted: boolean }>`
    select exists (
      select from keys
      where kind = 'public' and revoked_at is null and trusted_domains && ${[...hosts]}::text[]
    ) as trusted
  `.execute(db);
  return rows[0]!.trusted;
}

/**
 * Stores when keys were used last. A key in constant use is written every 10 seconds. A key that is being deleted is
 * locked, so it is skipped, which prevents deadlocks.
 *
 * @param now by the clock of the counter
 */
export async function markUsed(db: Db, uses: readonly UsedKey[], now: number): Promise<void> {
  await sql`
    with used as (
      select * from unnest(
        ${uses.map(({ keyId }) => keyId)}::text[], ${uses.map(({ at }) => now - at)}::float8[]
      ) as each (id, age)
    ), stale as materialized (
      select id from keys
      where id in (select id from used)
        and (last_used_at is null or last_used_at < statement_timestamp() - interval '10 seconds')
      order by id for no key update skip locked
    )
    update keys set last_used_at = greatest(last_used_at, statement_timestamp() - age * interval '1 ms')
    from stale join used using (id) where keys.id = stale.id
  `.execute(db);
}

/**
 * Creates, changes, rolls and revokes keys, for their owner and for the operator. Each change and its row of the audit
 * log share a transaction. The order of locks is: the account, the key.
 */

import { type Actor, type AuditEvent, recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { holdAccount } from '../../people/accounts/account-store.ts';
import { importKey, type KeyRow, type NewKey, type RevealedKey, revokeKey, rollKey } from '../key-store.ts';
import { makeKeyValue } from '../key-value.ts';
import { describeChanges } from './key-changes.ts';
import {
  endFormerValues,
  forgetRevokedKeys,
  type KeySettings,
  lockKey,
  type Named,
  type OwnKey,
  updateKey,
} from './manage-keys-store.ts';

/** The longest time that an old value may still work after a roll: 7 days. */
export const LONGEST_OVERLAP = 604_800;

/** The most credits of a day that a key can be given. */
export const MOST_DAILY_CREDITS = 1_000_000_000;

/**
 * Creates a key.
 *
 * @param value a value chosen by the operator. @default a new one @returns 'exists' if a key already has this value or
 * this id
 */
export async function makeKey(
  db: Db,
  actor: Actor,
  key: NewKey,
  value = makeKeyValue(key.mode),
): Promise<RevealedKey | 'exists'> {
  return inTransaction(db, async (transaction) => {
    await holdAccount(transaction, key.account_id);
    const made = await importKey(transaction, key, value);
    if (made === 'exists') return made;
    const { kind, mode, last4 } = made;
    await record(transaction, actor, made, 'key.create', { kind, mode, last4 });
    return made;
  });
}

/** The outcome of a change. `conflict`: the key has changed since its owner opened it, so this change was not made. */
export type Changed = 'changed' | 'unchanged' | 'conflict' | 'no such key';

/**
 * Changes the settings of a key. A revoked key cannot be changed.
 *
 * @param decide gets the locked key, and returns its new settings
 */
export async function changeKey(
  db: Db,
  actor: Actor,
  named: Named,
  decide: (key: OwnKey) => KeySettings | 'conflict',
): Promise<Changed> {
  return inTransaction(db, async (transaction) => {
    const key = await lockUsable(transaction, named);
    if (!key) return 'no such key';
    const settings = decide(key);
    if (settings === 'conflict') return settings;
    const details = describeChanges(key, settings);
    if (Object.keys(details).length === 0) return 'unchanged';
    await updateKey(transaction, key.id, settings);
    await record(transaction, actor, { ...key, name: settings.name }, 'key.change', details);
    return 'changed';
  });
}

/** The settings of a key, to change some of them. */
export function settingsOf(key: KeySettings): KeySettings {
  const { name, trusted_domains, trusted_ips, daily_credits } = key;
  const { captcha_provider, captcha_secret, siteverify_url } = key;
  const captcha = { captcha_provider, captcha_secret, siteverify_url };
  return { name, trusted_domains, trusted_ips, ...captcha, daily_credits };
}

export interface Roll {
  /** How long the old value still works. */
  readonly overlapSeconds: number;
  /** When the value to replace was created. If the key has another value by now, the roll does not happen. */
  readonly since?: string | undefined;
}

/**
 * Gives a key a new value.
 *
 * @returns undefined if the key does not exist or is revoked
 */
export async function giveNewValue(
  db: Db,
  actor: Actor,
  named: Named,
  { overlapSeconds, since }: Roll,
): Promise<RevealedKey | 'rolled before' | undefined> {
  return inTransaction(db, async (transaction) => {
    const key = await lockUsable(transaction, named);
    if (!key) return undefined;
    if (since !== undefined && since !== key.value_since.toISOString()) return 'rolled before';
    const rolled = (await rollKey(transaction, key.id, overlapSeconds))!;
    const details = { last4: rolled.last4, former_last4: key.last4, overlap_seconds: overlapSeconds };
    await record(transaction, actor, key, 'key.roll', details);
    return rolled;
  });
}

/** Ends the old values at once. @returns whether any still worked */
export async function endOverlap(db: Db, actor: Actor, named: Named): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const key = await lockUsable(transaction, named);
    const ended = key ? await endFormerValues(transaction, key.id) : 0;
    if (!key || ended === 0) return false;
    await record(transaction, actor, key, 'key.change', { former_values_ended: ended });
    return true;
  });
}

/** Stops all values of a key for good. @returns when, or undefined if the key does not exist or is already revoked */
export async function stopKey(db: Db, actor: Actor, named: Named): Promise<Date | undefined> {
  return inTransaction(db, async (transaction) => {
    const key = await lockUsable(transaction, named);
    if (!key) return undefined;
    const revokedAt = await revokeKey(transaction, key.id);
    await forgetRevokedKeys(transaction, key.account_id);
    await record(transaction, actor, key, 'key.revoke', { last4: key.last4 });
    return revokedAt;
  });
}

async function lockUsable(db: Db, named: Named): Promise<OwnKey | undefined> {
  const key = await lockKey(db, named);
  return key?.revoked_at === null ? key : undefined;
}

const record = (
  db: Db,
  actor: Actor,
  { account_id: accountId, id, name }: Pick<KeyRow, 'account_id' | 'id' | 'name'>,
  action: AuditEvent['action'],
  details: NonNullable<AuditEvent['details']>,
): Promise<void> => recordAuditEvent(db, { accountId, actor, action, subject: { id, name }, details });

/**
 * Makes, changes, rolls and revokes keys, for their owner and for the operator. Each deed and its row of the audit log
 * are one transaction. Everything locks in this order: the account, the key.
 */
import { holdAccount } from '../../accounts/store.ts';
import { type Actor, type Deed, recordDeed } from '../../audit/store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { makeKeyValue } from '../key-value.ts';
import { importKey, type KeyRow, type NewKey, type RevealedKey, revokeKey, rollKey } from '../store.ts';
import { describeChanges } from './changes.ts';
import { endFormerValues, type KeySettings, lockKey, type Named, type OwnKey, updateKey } from './store.ts';

/** How long the value before a roll may still work at most: 7 days. */
export const LONGEST_OVERLAP = 604_800;

/**
 * Makes a key.
 *
 * @param value one that the operator brings. @default a new one
 * @returns 'exists' if there is a key with this value or this id. Nothing has changed then.
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

/** What became of a change. `conflict`: the key has changed since its owner looked at it, so nothing was done. */
export type Changed = 'changed' | 'unchanged' | 'conflict' | 'no such key';

/**
 * Changes what its owner can change. A revoked key stays as it is.
 *
 * @param decide gets the locked key, and says how it shall be
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

export interface Roll {
  /** How long the old value still works. */
  readonly overlapSeconds: number;
  /** When the value that is replaced was made. If the key has another value by now, nothing is done. */
  readonly since?: string | undefined;
}

/**
 * Gives a key a new value.
 *
 * @returns undefined if there is no such key, or if it is revoked
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
    const rolled = (await rollKey(transaction, key.id, overlapSeconds, new Date()))!;
    const details = { last4: rolled.last4, former_last4: key.last4, overlap_seconds: overlapSeconds };
    await record(transaction, actor, key, 'key.roll', details);
    return rolled;
  });
}

/** Ends the values from before rolls at once. @returns whether any still worked */
export async function endOverlap(db: Db, actor: Actor, named: Named): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const key = await lockUsable(transaction, named);
    const ended = key ? await endFormerValues(transaction, key.id, new Date()) : 0;
    if (!key || ended === 0) return false;
    await record(transaction, actor, key, 'key.change', { former_values_ended: ended });
    return true;
  });
}

/** Stops all values of a key for good. @returns when, or undefined if there is no such key, or if it is revoked */
export async function stopKey(db: Db, actor: Actor, named: Named): Promise<Date | undefined> {
  return inTransaction(db, async (transaction) => {
    const key = await lockUsable(transaction, named);
    if (!key) return undefined;
    const now = new Date();
    await revokeKey(transaction, key.id, now);
    await record(transaction, actor, key, 'key.revoke', { last4: key.last4 });
    return now;
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
  action: Deed['action'],
  details: NonNullable<Deed['details']>,
): Promise<void> => recordDeed(db, { accountId, actor, action, subject: { id, name }, details });

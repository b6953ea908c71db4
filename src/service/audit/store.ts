/** All SQL of the audit log: who changed keys, apps, batches and settings, and when. */

import { type Selectable, sql } from 'kysely';
import type { AuditTable, Db } from '../database/schema.ts';

/** The actions. The first word is the kind of object. */
export type AuditAction =
  | 'account.create'
  | 'account.credits'
  | 'account.limits'
  | 'account.password'
  | 'key.create'
  | 'key.change'
  | 'key.roll'
  | 'key.revoke'
  | 'app.create'
  | 'app.change'
  | 'app.roll-secret'
  | 'app.delete'
  | 'app.allow'
  | 'app.deny'
  | 'app.remove'
  | 'batch.create'
  | 'batch.pause'
  | 'batch.resume'
  | 'batch.delete'
  | 'batch.download'
  | 'callback.send-again'
  | 'settings.password'
  | 'settings.sessions'
  | 'settings.callback-secret'
  | 'settings.retention'
  | 'address.export'
  | 'address.erase';

/** Who did it. `name` is known to the owner: an email address, or the name of a key or an app. */
export type Actor =
  | { readonly kind: 'owner'; readonly name: string }
  | { readonly kind: 'operator' }
  | { readonly kind: 'key' | 'app'; readonly id: string; readonly name: string };

export interface Deed {
  readonly accountId: string;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The object of the action. @default the account itself */
  readonly subject?: { readonly id: string; readonly name?: string | null | undefined };
  /** Further details for the owner. Never a secret, and never an email address of a list. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The operator's name in the log. */
const OPERATOR = 'admin command';

/** Writes a row of the log. Call it in the transaction of the action, so that both happen or neither. */
export async function recordDeed(
  db: Db,
  { accountId, actor, action, subject, details }: Deed,
): Promise<void> {
  await db
    .insertInto('audit')
    .values({
      account_id: accountId,
      actor: actor.kind,
      actor_id: 'id' in actor ? actor.id : null,
      actor_name: actor.kind === 'operator' ? OPERATOR : actor.name,
      action,
      subject_id: subject?.id ?? null,
      subject_name: subject?.name ?? null,
      ...(details && { details: JSON.stringify(details) }),
    })
    .execute();
}

/** A row of the log, as the owner sees it. */
export type AuditEntry = Omit<Selectable<AuditTable>, 'account_id'>;

/** The filter of the log. */
export interface AuditSelection {
  /** The first words of actions, such as `key`. @default all */
  readonly kinds?: readonly string[] | undefined;
}

/**
 * The latest rows of the log, newest first.
 *
 * @param before the id of a row. Only older rows are returned
 */
export async function readAudit(
  db: Db,
  accountId: string,
  page: AuditSelection & { readonly limit: number; readonly before?: number | undefined },
): Promise<AuditEntry[]> {
  const { limit, before, kinds } = page;
  return db
    .selectFrom('audit')
    .select([
      'id',
      'at',
      'actor',
      'actor_id',
      'actor_name',
      'action',
      'subject_id',
      'subject_name',
      'details',
    ])
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .$if(kinds !== undefined, (query) => query.where(sql`split_part(action, '.', 1)`, 'in', kinds!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

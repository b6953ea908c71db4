/** All SQL of the audit log: who changed keys, apps, batches and settings, and when. */

import { type RawBuilder, type Selectable, sql } from 'kysely';
import { Failure } from '../core/failures.ts';
import { deleteSome, MOST_DELETED } from '../database/delete-some.ts';
import { replaceText, type TextChange } from '../database/replace-text.ts';
import type { AuditTable, Db } from '../database/schema.ts';

/** The actions. The first word is the kind of object. */
export type AuditAction =
  | 'account.create'
  | 'account.credits'
  | 'account.limits'
  | 'account.password'
  | 'person.app-add'
  | 'person.app-remove'
  | 'person.passkey-add'
  | 'person.passkey-rename'
  | 'person.passkey-remove'
  | 'person.recovery-codes'
  | 'person.recovery-code'
  | 'person.second-factor'
  | 'account.rename'
  | 'member.invite'
  | 'member.withdraw'
  | 'member.join'
  | 'member.add'
  | 'member.role'
  | 'member.end'
  | 'person.address'
  | 'person.sessions'
  | 'person.password'
  | 'person.link'
  | 'person.link-used'
  | 'person.connect'
  | 'person.unlink'
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
  | 'batch.rename'
  | 'batch.resume'
  | 'batch.stop'
  | 'batch.delete'
  | 'batch.download'
  | 'callback.send-again'
  | 'settings.password'
  | 'settings.sessions'
  | 'settings.callback-secret'
  | 'settings.notice-url'
  | 'settings.retention'
  | 'address.export'
  | 'address.erase';

/** The kind of object of an action. */
export type AuditKind = KindOf<AuditAction>;
type KindOf<Action> = Action extends `${infer Kind}.${string}` ? Kind : never;

/** Who did it. `name` is known to the owner: an email address, or the name of a key or an app. */
export type Actor =
  | { readonly kind: 'owner'; readonly name: string }
  | { readonly kind: 'operator' }
  | { readonly kind: 'service' }
  | { readonly kind: 'key' | 'app'; readonly id: string; readonly name: string };

export interface AuditEvent {
  readonly accountId: string;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The object of the action. @default the account itself */
  readonly subject?: { readonly id: string; readonly name?: string | null | undefined };
  /** Further details for the owner. Never a secret, and never an email address of a list. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The names in the log of those that are no person. */
const NAMES = { operator: 'admin command', service: 'service' } as const;

/**
 * How many changes an owner makes in an hour at most. Each is a row for years, so without a limit a program could fill the
 * database with them.
 */
export const MOST_CHANGES = 1_000;
/**
 * What an owner does to stop something. It needs something to stop, or the password, so it needs no limit. What a person
 * does about the own sign-in has limits of its own, and must not wait for what others have done in the account.
 */
const STOPPING: readonly AuditAction[] = [
  ...(['key.revoke', 'app.delete', 'app.remove', 'batch.stop', 'batch.delete'] as const),
  ...(['settings.password', 'settings.sessions', 'member.withdraw', 'member.end'] as const),
  ...(['person.address', 'person.link-used', 'person.connect'] as const),
  ...(['person.app-remove', 'person.passkey-remove', 'person.recovery-code'] as const),
];

/**
 * Writes a row of the log. Call it in the transaction of the action, so that both happen or neither.
 *
 * @throws {Failure} `tooManyChanges` if the owner has made too many in the last hour
 */
export async function recordAuditEvent(
  db: Db,
  { accountId, actor, action, subject, details }: AuditEvent,
): Promise<void> {
  if (actor.kind === 'owner' && !STOPPING.includes(action)) await refuseTooMany(db, accountId);
  await db
    .insertInto('audit')
    .values({
      account_id: accountId,
      actor: actor.kind,
      actor_id: 'id' in actor ? actor.id : null,
      actor_name: 'name' in actor ? actor.name : NAMES[actor.kind],
      action,
      subject_id: subject?.id ?? null,
      subject_name: subject?.name ?? null,
      ...(details && { details: JSON.stringify(details, cutText) }),
    })
    .execute();
}

/** Lists of redirect URIs and domains can be a hundred times as long, in each row of a program that changes them. */
const LONGEST_DETAIL = 1_000;

const cutText = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > LONGEST_DETAIL
    ? `${value.slice(0, LONGEST_DETAIL).replace(/[\uD800-\uDBFF]$/, '')}…`
    : value;

async function refuseTooMany(db: Db, accountId: string): Promise<void> {
  const counted = sql<boolean>`actor = 'owner' and action <> all(${STOPPING}::text[])`;
  if ((await countRecent(db, accountId, counted, { most: MOST_CHANGES, hours: 1 })) >= MOST_CHANGES)
    throw new Failure('tooManyChanges');
}

/** How many free samples of lists an owner has started in the last day. */
export async function countFreeSamples(db: Db, accountId: string): Promise<number> {
  const free = sql<boolean>`action = 'batch.create' and details ->> 'is_free' = 'true'`;
  return countRecent(db, accountId, free, { most: Number.POSITIVE_INFINITY, hours: 24 });
}

/** How many rows a query reads. Most accounts have fewer in the time. */
const PAGE = 2_000;

/**
 * Counts some rows of an account's latest hours. It stops when there are `most`. It reads on past all other rows, so that nobody
 * stops the count by writing others.
 */
async function countRecent(
  db: Db,
  accountId: string,
  counted: RawBuilder<boolean>,
  { most, hours }: { readonly most: number; readonly hours: number },
): Promise<number> {
  let count = 0;
  for (let before: number | null = null; ; ) {
    const { rows } = await sql<{ count: number; recent: number; first: number }>`
      select count(*) filter (where ${counted}) as count, count(*) as recent, min(id) as first from (
        select * from audit
        where account_id = ${accountId} and (${before}::bigint is null or id < ${before}::bigint)
        -- As in the index audit_of_account. Otherwise the planner may go through the rows of all accounts.
        order by account_id, id desc limit ${PAGE}
      ) as latest
      where at > clock_timestamp() - make_interval(hours => ${hours})
    `.execute(db);
    const page: { count: number; recent: number; first: number } = rows[0]!;
    count += page.count;
    if (count >= most || page.recent < PAGE) return count;
    before = page.first;
  }
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
  // One part for each kind, because each is found by the index audit_of_kind, however rare it is.
  const parts = (kinds ?? [undefined]).map(
    (kind) => sql`(
      select * from audit
      where account_id = ${accountId} and (${before ?? null}::bigint is null or id < ${before ?? null}::bigint)
        and ${kind === undefined ? sql`true` : sql`split_part(action, '.', 1) = ${kind}`}
      order by account_id, id desc limit ${limit}
    )`,
  );
  const { rows } = await sql<AuditEntry>`
    select id, at, actor, actor_id, actor_name, action, subject_id, subject_name, details
    from (${sql.join(parts, sql` union all `)}) as found order by id desc limit ${limit}
  `.execute(db);
  return rows;
}

/**
 * Deletes some of the oldest rows, if they are older than so many seconds. Ids grow with the time, so their index finds
 * them.
 *
 * @returns whether there may be more
 */
export const forgetAudit = (db: Db, seconds: number): Promise<boolean> =>
  deleteSome(
    db,
    'audit',
    sql`id <= (
      select max(id) from (select id, at from audit order by id limit ${MOST_DELETED}) as oldest
      where at < clock_timestamp() - make_interval(secs => ${seconds})
    )`,
  );

/** Deletes some rows of an account. @returns whether there may be more */
export const forgetAuditOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'audit', sql`account_id = ${accountId}`);

/** Rows are changed only to erase an address from the name of a batch. */
export const replaceSubjectName = (db: Db, change: TextChange): Promise<boolean> =>
  replaceText(db, 'audit', 'subject_name', change);

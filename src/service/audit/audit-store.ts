/** All SQL of the audit log: who changed keys, apps, batches and settings, and when. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { Failure } from '../core/failures.ts';
import { figure } from '../core/format.ts';
import { deleteSome, MOST_DELETED } from '../database/delete-some.ts';
import { replaceText, type TextChange } from '../database/replace-text.ts';
import type { Db, Schema } from '../database/schema.ts';

/** The actions. The first word is the kind of object. */
export type AuditAction =
  | `account.${'create' | 'credits' | 'limits' | 'password' | 'rename'}`
  | `person.${'app-add' | 'app-remove' | 'passkey-add' | 'passkey-rename' | 'passkey-remove'}`
  | `person.${'recovery-codes' | 'recovery-code' | 'second-factor' | 'address' | 'sessions' | 'password'}`
  | `person.${'link' | 'link-used' | 'connect' | 'unlink'}`
  | `member.${'invite' | 'withdraw' | 'join' | 'add' | 'role' | 'end'}`
  | `key.${'create' | 'change' | 'roll' | 'revoke'}`
  | `app.${'create' | 'change' | 'roll-secret' | 'delete' | 'allow' | 'deny' | 'remove'}`
  | `batch.${'create' | 'pause' | 'rename' | 'resume' | 'stop' | 'delete' | 'download'}`
  | 'callback.send-again'
  | `settings.${'password' | 'sessions' | 'callback-secret' | 'notice-url' | 'retention'}`
  | `address.${'export' | 'erase'}`;

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
 * How many changes the people of an account make in an hour and in a day at most. Each is a row for years, so without a
 * limit a program could fill the database with them.
 */
export const MOST_CHANGES = 1_000;
export const MOST_CHANGES_OF_DAY = 3_000;
/** The same for each change that leaves more than its row for years: a client id, a key, a person. */
export const MOST_OF_KIND = 200;
const LASTING: readonly AuditAction[] = ['app.create', 'key.create', 'key.roll', 'member.invite'];
/**
 * What an owner does to stop something. It needs something to stop, or the password, so these limits do not hold for it.
 * A pause needs a batch that is new or was resumed, and resuming counts. What a person does about the own sign-in must not
 * wait for what others have done in the account.
 */
const STOPPING: readonly AuditAction[] = [
  ...(['key.revoke', 'app.delete', 'app.remove', 'batch.pause', 'batch.stop', 'batch.delete'] as const),
  ...(['settings.password', 'settings.sessions', 'settings.callback-secret'] as const),
  ...(['member.withdraw', 'member.end', 'person.address', 'person.link-used', 'person.connect'] as const),
  ...(['person.app-remove', 'person.passkey-remove', 'person.recovery-code'] as const),
];
/** Of them, what one can do again and again. Each person has a limit of their own for each in a day. */
const REPEATABLE: readonly AuditAction[] = ['settings.password', 'person.address'];
/** The same, but what protects from somebody else must not wait. Above the limit, it is done and leaves no row. */
const PROTECTING: readonly AuditAction[] = ['settings.sessions', 'settings.callback-secret'];
export const MOST_OF_PERSON = 100;

/**
 * Writes a row of the log. Call it in the transaction of the action, so that both happen or neither. Only what protects,
 * and was done too often, happens without a row.
 *
 * @throws {Failure} `tooManyChanges` if an owner has made too many in the last hour or day
 */
export async function recordAuditEvent(db: Db, event: AuditEvent): Promise<void> {
  const { accountId, actor, action, subject, details } = event;
  if (actor.kind === 'owner') {
    if (PROTECTING.includes(action) && (await hasMadeMost(db, event, actor.name))) return;
    await refuseTooMany(db, event, actor.name);
  }
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

const sameAs = (action: AuditAction) => sql<boolean>`actor = 'owner' and action = ${action}`;

/** Whether a person has made as many changes of this kind in a day as one person may. */
async function hasMadeMost(
  db: Db,
  { accountId, action, subject }: AuditEvent,
  name: string,
): Promise<boolean> {
  // The address may have changed with the last event. The id of the person has not.
  const own = subject ? sql`subject_id = ${subject.id}` : sql`actor_name = ${name}`;
  const within = { most: MOST_OF_PERSON, hours: 24 };
  return (await countRecent(db, accountId, sql`${sameAs(action)} and ${own}`, within)) >= within.most;
}

/** Requests at the same moment do not see each other, so there may be a few more than the limit. */
async function refuseTooMany(db: Db, event: AuditEvent, name: string): Promise<void> {
  const { accountId, action } = event;
  if (REPEATABLE.includes(action) && (await hasMadeMost(db, event, name)))
    throw tooMany(`You have made ${figure(MOST_OF_PERSON)} changes of this kind`, 24);
  if (STOPPING.includes(action)) return;
  const refuse = async (counted: RawBuilder<boolean>, within: Within, ofKind = '') => {
    if ((await countRecent(db, accountId, counted, within)) < within.most) return;
    throw tooMany(`Your account has made ${figure(within.most)} changes${ofKind}`, within.hours);
  };
  const all = sql<boolean>`actor = 'owner' and action <> all(${STOPPING}::text[])`;
  await refuse(all, { most: MOST_CHANGES, hours: 1 });
  await refuse(all, { most: MOST_CHANGES_OF_DAY, hours: 24 });
  if (LASTING.includes(action))
    await refuse(sameAs(action), { most: MOST_OF_KIND, hours: 24 }, ' of this kind');
}

function tooMany(what: string, hours: number): Failure {
  const time = hours === 1 ? 'an hour' : `${hours} hours`;
  return new Failure(
    'tooManyChanges',
    `${what} within ${time}, so this one was not made. Try again when the first of them is ${time} old.`,
  );
}

/** How many free samples of lists an owner has started in the last day. */
export async function countFreeSamples(db: Db, accountId: string): Promise<number> {
  const free = sql<boolean>`action = 'batch.create' and details ->> 'is_free' = 'true'`;
  return countRecent(db, accountId, free, { most: Number.POSITIVE_INFINITY, hours: 24 });
}

/** How many rows a query reads. Most accounts have fewer in the time. */
const PAGE = 2_000;

interface Within {
  readonly most: number;
  readonly hours: number;
}

/**
 * Counts some rows of an account's latest hours. It stops when there are `most`. It reads on past all other rows, so that nobody
 * stops the count by writing others.
 */
async function countRecent(
  db: Db,
  accountId: string,
  counted: RawBuilder<boolean>,
  { most, hours }: Within,
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
export type AuditEntry = Omit<Selectable<Schema['audit']>, 'account_id'>;

/** The filter of the log. */
export interface AuditSelection {
  /** The first words of actions, such as `key`. @default all */
  readonly kinds?: readonly string[] | undefined;
}

/** The latest rows of the log, newest first. @param before the id of a row. Only older rows are returned */
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

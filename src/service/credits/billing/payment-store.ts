/**
 * All SQL of payments. A payment is open until billing has answered. Meanwhile one process makes a try, or the next try
 * waits until it is due. Only the process that makes a try ends it. Credits are the exception: they are booked whoever
 * brings them, and once.
 */
import { type RawBuilder, sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db, PaymentOutcome } from '../../database/schema.ts';
import { changeCredits } from '../credit-store.ts';

/** The pause after the first try. It doubles with each. */
const FIRST_PAUSE_S = 4;
const LONGEST_PAUSE_S = 300;
/** The number of doublings after which the pause is the longest one anyway. */
const MOST_DOUBLINGS = 8;

/** The pause after the first try, or after this many more. */
const pauseAfter = (more: RawBuilder<number>) => sql`make_interval(
  secs => least(${LONGEST_PAUSE_S}::float8, ${FIRST_PAUSE_S}::float8 * 2 ^ least(${more}, ${MOST_DOUBLINGS}))
)`;

const GIVE_UP_S = 24 * 60 * 60;
/** Where a process has billing, no open payment is overdue for so long. */
const LONGEST_OVERDUE_S = 60 * 60;
/** How many answers without credits are too many. */
const MOST_MALFORMED = 4;

/** The payments of so many seconds count together. */
const DAY_S = 24 * 60 * 60;

/** A payment, as a request that waits for it sees it. */
export interface PaymentState {
  readonly id: string;
  readonly needed: number;
  readonly available: number;
  readonly tries: number;
  readonly malformed: number;
  /** Whether a process makes a try. It may have died. */
  readonly is_tried: boolean;
  /** How long until the next try, in milliseconds. */
  readonly due_in_ms: number;
  readonly outcome: PaymentOutcome | null;
  readonly credits: number | null;
  readonly message: string | null;
}

const STATE = sql<PaymentState>`
  id, needed, available, tries, malformed, process_id is not null as is_tried,
  greatest(0, extract(epoch from next_try_at - clock_timestamp()) * 1000)::float8 as due_in_ms,
  outcome, credits, message
`;

/** A try that this process makes. */
export interface PaymentTry {
  readonly id: string;
  readonly account: string;
  readonly owner_email: string;
  readonly needed: number;
  readonly available: number;
  /** The number of the try, counted from 1. */
  readonly tries: number;
}

export interface NewPayment {
  /** The id, if a payment is opened. */
  readonly id: string;
  readonly accountId: string;
  readonly needed: number;
  /** How many payments the account may have in 24 hours. Refused ones count too: each may be a try of a card. */
  readonly perDay: number;
}

export type Opened =
  /** This process makes its first try. */
  | { readonly kind: 'opened'; readonly payment: PaymentState; readonly first: PaymentTry }
  /** The account has one already, of whatever process. */
  | { readonly kind: 'joined'; readonly payment: PaymentState }
  /** Other changes have added enough credits, or the account is gone. */
  | { readonly kind: 'not needed' }
  | { readonly kind: 'too many'; readonly available: number; readonly until: Date }
  /** Billing has just refused `payment`. It is asked again after so many milliseconds. */
  | { readonly kind: 'refused'; readonly payment: PaymentState; readonly pauseMs: number };

/** Opens a payment, unless the account has an open one. It is committed before the first request leaves. */
export async function openPayment(
  db: Db,
  processId: string,
  { id, accountId, needed, perDay }: NewPayment,
): Promise<Opened> {
  return db.transaction().execute(async (transaction): Promise<Opened> => {
    // The lock lets nobody open or book a payment of the account meanwhile.
    const account = await lockAccount(transaction, accountId);
    if (!account || account.available_credits >= needed) return { kind: 'not needed' };
    const { available_credits: available, owner_email } = account;
    const { rows: open } = await sql<PaymentState>`
      select ${STATE} from payments where account = ${accountId} and ended_at is null
    `.execute(transaction);
    if (open[0]) return { kind: 'joined', payment: open[0] };
    const { rows: full } = await sql<{ until: Date }>`
      select asked_at + make_interval(secs => ${DAY_S}) as until from payments
      where account = ${accountId} and asked_at > statement_timestamp() - make_interval(secs => ${DAY_S})
      order by asked_at desc offset ${perDay - 1} limit 1
    `.execute(transaction);
    if (full[0]) return { kind: 'too many', available, until: full[0].until };
    const refused = await findRefusal(transaction, accountId, needed);
    if (refused) return { kind: 'refused', payment: refused, pauseMs: refused.pause_ms };
    const { rows } = await sql<PaymentState>`
      insert into payments (id, account, needed, available, tries, process_id, next_try_at)
      values (
        ${id}, ${accountId}, ${needed}, ${available}, 1, ${processId}, clock_timestamp() + ${pauseAfter(sql`0`)}
      )
      returning ${STATE}
    `.execute(transaction);
    const first = { id, account: accountId, owner_email, needed, available, tries: 1 };
    return { kind: 'opened', payment: rows[0]!, first };
  });
}

/**
 * The latest payment, if billing has refused it and is not to be asked again yet. The pause is that after a failed try, and
 * doubles with each refusal in a row. After a single one, who needs less is asked for at once.
 */
async function findRefusal(transaction: Db, accountId: string, needed: number) {
  const { rows } = await sql<PaymentState & { pause_ms: number }>`
    with latest as (
      select * from payments where account = ${accountId} order by asked_at desc limit ${MOST_DOUBLINGS + 1}
    ), refusals as (
      select count(*)::integer as count, max(asked_at) as last from latest where asked_at > coalesce(
        (select max(asked_at) from latest where outcome is distinct from 'refused'), '-infinity'
      )
    )
    select ${STATE}, extract(epoch from pause_ends - clock_timestamp())::float8 * 1000 as pause_ms
    from latest join refusals on asked_at = last
      cross join lateral (select ended_at + ${pauseAfter(sql`count - 1`)} as pause_ends) as pause
    where pause_ends > clock_timestamp() and (needed <= ${needed} or count > 1)
  `.execute(transaction);
  return rows[0];
}

async function lockAccount(transaction: Db, id: string) {
  return transaction
    .selectFrom('accounts')
    .select(['owner_email', 'available_credits'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** @returns undefined if its account was deleted */
export async function lookAtPayment(db: Db, id: string): Promise<PaymentState | undefined> {
  const { rows } = await sql<PaymentState>`select ${STATE} from payments where id = ${id}`.execute(db);
  return rows[0];
}

/**
 * Begins the next try of open payments: those that are due, those of dead processes, and, after the same pause, those of
 * this process whose try has ended without a record. Two processes never begin the same one.
 *
 * @param held the payments that this process is trying
 */
export async function claimPayments(
  db: Db,
  processId: string,
  held: readonly string[],
  most: number,
): Promise<PaymentTry[]> {
  const { rows } = await sql<PaymentTry>`
    with owners as materialized (
      select distinct process_id from payments where ended_at is null and process_id is not null
    ), dead as materialized (
      select process_id from owners where process_id <> ${processId} and not is_process_alive(process_id)
    ), lost as (
      select id from payments
      where ended_at is null and process_id is not null and (
        process_id in (select process_id from dead)
          or process_id = ${processId} and id <> all (${held}::text[]) and next_try_at <= clock_timestamp()
      )
      limit ${most} for update skip locked
    ), due as (
      select id from payments
      where ended_at is null and process_id is null and next_try_at <= statement_timestamp()
      order by next_try_at limit ${most} for update skip locked
    ), chosen as (select id from lost union all select id from due limit ${most})
    update payments set
      process_id = ${processId}, tries = tries + 1, next_try_at = clock_timestamp() + ${pauseAfter(sql`tries`)}
    from chosen, accounts where payments.id = chosen.id and accounts.id = account and deleted_at is null
    returning payments.id, account, owner_email, needed, available, tries
  `.execute(db);
  return rows;
}

/** `too many`: the account cannot hold them. `gone`: it was deleted. */
export type Credited = 'booked' | 'booked before' | 'too many' | 'gone';

/** Books the credits and ends the payment, in one transaction. Credits that come after another end count too. */
export async function creditPayment(
  db: Db,
  { id, account }: Pick<PaymentTry, 'id' | 'account'>,
  credits: number,
): Promise<Credited> {
  return db.transaction().execute(async (transaction): Promise<Credited> => {
    const found = await lockAccount(transaction, account);
    if (!found) return 'gone';
    if (found.available_credits + credits > Number.MAX_SAFE_INTEGER) return 'too many';
    const { rows } = await sql`
      update payments set
        outcome = 'credited', credits = ${credits}, message = null, ended_at = clock_timestamp(), process_id = null
      where id = ${id} and credits is null returning id
    `.execute(transaction);
    if (rows.length === 0) return 'booked before';
    await changeCredits(transaction, account, { amount: credits, why: 'billing', of: messageIdOf(id) });
    return 'booked';
  });
}

/** The `webhook-id` of each try, and the name of the credits in the ledger. */
export const messageIdOf = (id: string): string => `msg_${id}`;

/** Ends a payment that billing has refused. @returns whether this process made the try */
export async function refusePayment(
  db: Db,
  processId: string,
  { id, tries }: Pick<PaymentTry, 'id' | 'tries'>,
  message: string | undefined,
): Promise<boolean> {
  const { rows } = await sql`
    update payments set
      outcome = 'refused', message = ${message ?? null}, ended_at = clock_timestamp(), process_id = null
    where id = ${id} and process_id = ${processId} and tries = ${tries} returning id
  `.execute(db);
  return rows.length > 0;
}

/** How a try failed. `cut off`: this process stops, so another one goes on at once. */
export type TryFailure = 'no answer' | 'malformed' | 'cut off';

/**
 * Records a try that has brought no credits and no refusal, and sets the next one, or ends the payment.
 *
 * @returns the end, if this was the last try. Undefined also if another process has taken the payment over
 */
export async function failTry(
  db: Db,
  processId: string,
  { id, tries }: Pick<PaymentTry, 'id' | 'tries'>,
  failure: TryFailure,
): Promise<PaymentOutcome | undefined> {
  const pause = pauseAfter(sql`payments.tries - 1`);
  const { rows } = await sql<{ outcome: PaymentOutcome | null }>`
    update payments set
      process_id = null, malformed = counted,
      next_try_at = clock_timestamp() + case when ${failure}::text = 'cut off' then interval '0' else ${pause} end,
      outcome = result, ended_at = case when result is not null then clock_timestamp() end
    from payments as before, lateral (
      select before.malformed + (${failure}::text = 'malformed')::integer as counted
    ) as count, lateral (
      select case
        when counted >= ${MOST_MALFORMED} then 'malformed'
        when ${failure}::text <> 'cut off'
          and before.asked_at + make_interval(secs => ${GIVE_UP_S}) <= clock_timestamp() then 'given up'
      end as result
    ) as ending
    where payments.id = ${id} and before.id = payments.id
      and payments.process_id = ${processId} and payments.tries = ${tries}
    returning payments.outcome
  `.execute(db);
  return rows[0]?.outcome ?? undefined;
}

/**
 * Ends open payments that nobody asks for any more, because the config of no process has billing. Otherwise, they would
 * stay open for ever.
 *
 * @returns those that this call has ended
 */
export async function giveUpAbandoned(db: Db): Promise<Pick<PaymentTry, 'id' | 'account' | 'tries'>[]> {
  const { rows } = await sql<Pick<PaymentTry, 'id' | 'account' | 'tries'>>`
    update payments set outcome = 'given up', ended_at = clock_timestamp(), process_id = null
    where ended_at is null and asked_at <= clock_timestamp() - make_interval(secs => ${GIVE_UP_S})
      and next_try_at <= clock_timestamp() - make_interval(secs => ${LONGEST_OVERDUE_S})
    returning id, account, tries
  `.execute(db);
  return rows;
}

/** A payment, as its operator sees it. */
export type ListedPayment = Awaited<ReturnType<typeof listPayments>>[number];

export interface PaymentFilter {
  /** @default all accounts */
  readonly accountId?: string | undefined;
  readonly isOpen: boolean;
  readonly limit: number;
}

/** The newest first. */
export async function listPayments(db: Db, { accountId, isOpen, limit }: PaymentFilter) {
  return listed(db)
    .$if(accountId !== undefined, (query) => query.where('account', '=', accountId!))
    .$if(isOpen, (query) => query.where('ended_at', 'is', null))
    .orderBy('asked_at', 'desc')
    .orderBy('payments.id')
    .limit(limit)
    .execute();
}

export async function findPayment(db: Db, id: string) {
  return listed(db).where('payments.id', '=', id).executeTakeFirst();
}

const listed = (db: Db) =>
  db
    .selectFrom('payments')
    .innerJoin('accounts', 'accounts.id', 'payments.account')
    .select(['payments.id', 'account', 'owner_email', 'needed', 'asked_at', 'tries', 'outcome', 'credits'])
    .select('ended_at');

/** A payment that billing has neither made nor refused yet, and the credits of the request that needed it. */
export type OpenPayment = NonNullable<Awaited<ReturnType<typeof findOpenPayment>>>;

/** The open payment of an account. Undefined if it has none. */
export async function findOpenPayment(db: Db, accountId: string) {
  return db
    .selectFrom('payments')
    .select(['asked_at as since', 'needed'])
    .where('account', '=', accountId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
}

export interface OpenPayments {
  readonly count: number;
  /** When the oldest one began. */
  readonly since: Date | null;
}

/** The open payments of all accounts. */
export async function countOpenPayments(db: Db): Promise<OpenPayments> {
  const { rows } = await sql<OpenPayments>`
    select count(*) as count, min(asked_at) as since from payments where ended_at is null
  `.execute(db);
  return rows[0]!;
}

/** Deletes some payments of a deleted account. @returns whether there may be more */
export const forgetPaymentsOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'payments', sql`account = ${accountId}`);

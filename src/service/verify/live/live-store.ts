/** The SQL of live verifications. */
import { sql } from 'kysely';
import type { Reason } from '../../../protocol/result.ts';
import { RecentMap } from '../../core/recent-map.ts';
import { coalesce } from '../../database/coalesce.ts';
import { deleteSome } from '../../database/delete-some.ts';
import { holdBusy } from '../../database/hold-busy.ts';
import type { Db } from '../../database/schema.ts';
import { isLost, isStray, type LeasedTable } from '../../jobs/lease-store.ts';
import { type RateCount, rateCount } from '../../limits/rate-limit.ts';

const VERIFICATIONS: LeasedTable = {
  table: 'verifications',
  claimed: sql`state = 'running'`,
  claim: sql`id::text`,
};

/** A public key, and how many credits it may spend in a day (UTC). */
export interface Payer {
  readonly keyId: string;
  /** Without one, its credits count all the same, for a limit that is set during the day. */
  readonly limit: number | undefined;
}

/** The parameters of a start. */
export interface Beginning {
  /** The id of the verification if it starts. */
  readonly id: string;
  readonly accountId: string;
  readonly question: Buffer;
  /** A verification whose row says that it runs, but whose process is dead. It is refunded. */
  readonly orphanId?: string | undefined;
  /** Counts the request as well. All have the same endpoint. */
  readonly rate?: { readonly endpoint: string; readonly limit: number } | undefined;
  /** The public key that spends the credit. */
  readonly payer?: Payer | undefined;
  /** Whether the request still waits. Otherwise a start that waits for a locked account is dropped. */
  readonly isWanted: () => boolean;
  /** Called when the account is locked, so that the start has to wait. */
  readonly onHeld?: () => void;
}

/** The outcome of a start. The request is counted in every case. */
export type Begun = { readonly rate?: RateCount } & (
  | { readonly answer: 'started' | 'running'; readonly id: string }
  | { readonly answer: 'kept'; readonly outcome: Buffer }
  | { readonly answer: 'no credits' | 'key spent' | 'rate exceeded' | 'no account' }
);

/** A start with its count. It is counted once, even if it is repeated because its account is locked. */
interface Start {
  readonly beginning: Beginning;
  rate: RateCount | undefined;
}

/** `busy`: the account is locked, and nothing has happened. */
type Answer = Begun['answer'] | 'busy';

interface StartedRow {
  place: number;
  answer: Answer;
  verification_id: string;
  kept_outcome: Buffer;
  account_row: string | null;
  rate_row: string | null;
  requests: number | null;
  resets_at: Date;
}

/**
 * More calls in a round trip cost less, and change the row of their account less often. Two at once look for the row where
 * it was, and then search through all its versions. So a second one starts only if the first one takes far longer than
 * even a busy machine needs.
 */
const COALESCED = { atOnce: 3, most: 50, patienceMs: 250, gatherMs: 20 };

/** The two database calls of every live verification. Simultaneous requests share a round trip. */
export type VerificationCalls = ReturnType<typeof coalesceCalls>;

interface StartOptions {
  readonly processId: string;
  /** How long a result is free for the same question after a 249. */
  readonly keepSeconds: number;
}

/** Each process has one. */
export function coalesceCalls(db: Db, options: StartOptions) {
  const { most } = COALESCED;
  const places: Places = new RecentMap(MOST_PLACES);
  const starts = holdBusy(
    coalesce((items: readonly Start[]) => startAll(db, items, options, places), COALESCED),
    {
      most,
      subjectOf: ({ beginning }) => beginning.accountId,
      isBusy: ({ answer }) => answer === 'busy',
      isWanted: ({ beginning }) => beginning.isWanted(),
      onHeld: ({ beginning }) => beginning.onHeld?.(),
    },
  );
  const ends = holdBusy(
    coalesce((items: readonly Finish[]) => settleAll(db, items), COALESCED),
    { most, subjectOf: ({ accountId }) => accountId, isBusy: (ending) => ending === 'busy' },
  );
  return {
    /**
     * Takes a credit and inserts the row of a verification, unless the question is already running or its result is kept.
     */
    begin: async (beginning: Beginning): Promise<Begun> => {
      const start: Start = { beginning, rate: undefined };
      return toBegun(await starts.run(start), start.rate);
    },
    /** Ends a verification once. The result is kept if a request joined or got a 249. */
    finish: (finish: Finish) => ends.run(finish) as Promise<Ending>,
    /** How many starts wait for a locked account, or for this one. */
    held: starts.waiting,
  };
}

/** The indexes of the items in the order of their names. Equal ones keep theirs. */
function sortedBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): number[] {
  const names = items.map(nameOf);
  return [...names.keys()].sort((one, other) =>
    names[one]! < names[other]! ? -1 : Number(names[one] !== names[other]),
  );
}

/** Where the rows of an account and of its count were last. Each start moves them, and may find them there next time. */
type Place = { readonly account: string | null; readonly rate: string | null };

type Places = RecentMap<string, Place>;

const MOST_PLACES = 1_000;

async function startAll(
  db: Db,
  starts: readonly Start[],
  { processId, keepSeconds }: StartOptions,
  places: Places,
): Promise<StartedRow[]> {
  const order = sortedBy(starts, ({ beginning: { accountId, payer } }) => `${accountId} ${payer?.keyId}`);
  const all = order.map((index) => starts[index]!.beginning);
  const rates = order.map((index) => (starts[index]!.rate ? undefined : starts[index]!.beginning.rate));
  const { rows } = await sql<StartedRow>`
    select place, answer, verification_id, kept_outcome, account_row, rate_row, requests, resets_at
    from start_verifications(
      ${processId}, ${keepSeconds}, ${rates.find((rate) => rate)?.endpoint},
      ${all.map(({ id }) => id)}, ${all.map(({ accountId }) => accountId)},
      ${all.map(({ accountId }) => places.get(accountId)?.account)},
      ${all.map(({ accountId }) => places.get(accountId)?.rate)}, ${all.map(({ question }) => question)},
      ${all.map(({ orphanId }) => orphanId)}, ${rates.map((rate) => rate?.limit)},
      ${all.map(({ payer }) => payer?.keyId)}, ${all.map(({ payer }) => payer?.limit)}
    )
  `.execute(db);
  const started: StartedRow[] = [];
  for (const row of rows) {
    const index = order[row.place - 1]!;
    started[index] = row;
    places.set(starts[index]!.beginning.accountId, { account: row.account_row, rate: row.rate_row });
    const limit = rates[row.place - 1]?.limit;
    if (limit !== undefined && row.requests !== null)
      starts[index]!.rate = rateCount(row.requests, limit, row.resets_at);
  }
  return started;
}

function toBegun({ answer, verification_id, kept_outcome }: StartedRow, rate: RateCount | undefined): Begun {
  const counted = rate ? { rate } : {};
  switch (answer) {
    case 'started':
    case 'running':
      return { answer, id: verification_id, ...counted };
    case 'kept':
      return { answer, outcome: kept_outcome, ...counted };
    default:
      return { answer: answer as Exclude<Answer, 'busy'>, ...counted } as Begun;
  }
}

/**
 * The outcome of an end. `lost`: another process has already refunded the verification. `outcome needed`: the end was
 * not recorded, because a request needs the sealed outcome, which was omitted.
 */
export type Ending = 'ended' | 'lost' | 'outcome needed';

/** How a verification ends. */
export interface Finish {
  readonly id: string;
  readonly accountId: string;
  /** Whether the credit is refunded. */
  readonly givesBack: boolean;
  /** The reason of the result, which is counted with the end. */
  readonly reason?: Reason | undefined;
  /** Whether a request got a 249. */
  readonly isPromised: boolean;
  /** Whether there is an outcome to keep. */
  readonly hasOutcome: boolean;
  /** The sealed outcome. It may be omitted until it is needed. */
  readonly outcome?: Buffer | undefined;
  /** The response to store for an `Idempotency-Key` in the same transaction. */
  readonly response?: { readonly key: string; readonly body: string } | undefined;
}

/** @returns `busy` for an end whose account or row is locked. Nothing has happened to it */
async function settleAll(db: Db, finishes: readonly Finish[]): Promise<(Ending | 'busy')[]> {
  const order = sortedBy(finishes, ({ accountId }) => accountId);
  const ends = order.map((index) => finishes[index]!);
  const { rows } = await sql<{ place: number; ending: Ending | 'busy' }>`
    select place, ending from settle_verifications(
      ${ends.map(({ id }) => id)}, ${ends.map(({ accountId }) => accountId)},
      ${ends.map(({ givesBack }) => givesBack)}, ${ends.map(({ isPromised }) => isPromised)},
      ${ends.map(({ hasOutcome }) => hasOutcome)}, ${ends.map(({ outcome }) => outcome)},
      ${ends.map(({ response }) => response?.key)}, ${ends.map(({ response }) => response?.body)},
      ${ends.map(({ reason }) => reason)}
    )
  `.execute(db);
  const endings: (Ending | 'busy')[] = [];
  for (const { place, ending } of rows) endings[order[place - 1]!] = ending;
  return endings;
}

/**
 * Records that a request got a 249, so that the result will be free for the same question.
 *
 * @returns the sealed result if it is already there. Respond with it instead of the 249.
 */
export async function promiseResult(db: Db, id: string): Promise<Buffer | undefined> {
  const row = await db
    .updateTable('verifications')
    .set({ is_promised: sql<boolean>`is_promised or state = 'running'` })
    .where('id', '=', id)
    .returning('outcome')
    .executeTakeFirst();
  return row?.outcome ?? undefined;
}

/** The latest running or kept verification of a question. One that other requests may use comes first. */
export async function findRecallable(db: Db, accountId: string, question: Buffer) {
  return db
    .selectFrom('verifications')
    .select(['state', sql<boolean>`is_process_alive(process_id)`.as('is_alive'), 'outcome'])
    .where('account_id', '=', accountId)
    .where('question', '=', question)
    .orderBy(sql`state = 'kept' and is_promised`, 'desc')
    .orderBy(sql`state = 'running'`, 'desc')
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** A verification, as seen by other requests. */
export type Look = Awaited<ReturnType<typeof lookAtVerifications>>[number];

/** The verifications with these ids that still exist. */
export async function lookAtVerifications(db: Db, ids: readonly string[]) {
  return await db
    .selectFrom('verifications')
    .select(['id', 'process_id', 'outcome', sql<boolean>`is_process_alive(process_id)`.as('is_alive')])
    .where('id', 'in', ids)
    .execute();
}

/**
 * Refunds up to 100 running verifications of dead processes, except those of locked accounts. Several processes may do
 * it at once.
 *
 * @returns how many it refunded
 */
export async function refundDead(db: Db): Promise<number> {
  const dead = await db
    .selectFrom('verifications')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['verifications.id', 'account_id as accountId'])
    .where(isLost(VERIFICATIONS))
    .forKeyShare('accounts')
    .skipLocked()
    .limit(100)
    .execute();
  if (dead.length === 0) return 0;
  const finishes = dead.map((each) => ({ ...each, ...GIVEN_BACK }));
  const endings = await settleAll(db, finishes);
  return endings.filter((ending) => ending === 'ended').length;
}

/** The end of an abandoned verification. */
export const GIVEN_BACK = { givesBack: true, isPromised: false, hasOutcome: false } as const;

/** Running verifications that have something in common. */
export interface Running {
  readonly is_alive: boolean;
  readonly count: number;
  /** When the oldest one began. */
  readonly since: Date;
}

/** All running verifications, including those of dead processes. */
export async function readRunning(db: Db): Promise<Running[]> {
  const { rows } = await sql<Running>`
    select is_alive, count(*) as count, min(started_at) as since from (
      select started_at, is_process_alive(process_id) as is_alive
      from verifications where state = 'running'
    ) as running
    group by is_alive order by is_alive desc
  `.execute(db);
  return rows;
}

/** The running verifications of this process that it does not know of. */
export async function strayVerifications(db: Db, processId: string, known: readonly string[]) {
  return await db
    .selectFrom('verifications')
    .select(['id', 'account_id'])
    .where(isStray(VERIFICATIONS, processId, known))
    .execute();
}

/** How many verifications of these questions run or are kept. */
export async function countVerifications(
  db: Db,
  accountId: string,
  questions: readonly Buffer[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from verifications
    where account_id = ${accountId} and question = any(${questions}::bytea[])
  `.execute(db);
  return rows[0]!.count;
}

/** Deletes some kept results. Requests that joined have 30 seconds more to read them. @returns whether there may be more */
export const forgetKept = (db: Db): Promise<boolean> =>
  deleteSome(
    db,
    'verifications',
    sql`state = 'kept' and expires_at < statement_timestamp() - interval '30 seconds'`,
  );

/** Deletes some verifications of a deleted account. @returns whether there may be more */
export const forgetVerificationsOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'verifications', sql`account_id = ${accountId}`);

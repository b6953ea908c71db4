/** One run: a world, customers, disturbances, then silence and the audit. */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { resumeBatch } from '../../src/service/batch/manage/manage-batches.ts';
import { auditBooks, sayDifference } from '../../src/service/books/audit-books.ts';
import type { Db } from '../../src/service/database/schema.ts';
import { startWorld } from '../load/world.ts';
import { seeded } from '../simulate/queue.ts';
import { type Customer, makeCustomer, startLoad } from './customers.ts';
import { disturb, startFleet } from './disturb.ts';
import { startNetwork } from './proxy.ts';
import { type BillingServer, startBilling, startCallbackReceiver } from './receivers.ts';
import { watchCommits, watchUnbooked } from './unbooked.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly accounts: number;
  readonly processes: number;
}

export interface Outcome {
  /** Sentences. Empty if everything is exact. */
  readonly wrong: readonly string[];
  /** What happened, in a sentence. */
  readonly did: string;
}

const CLIENTS = 30;
const SECRET = `whsec_${Buffer.from('a secret of the chaos run').toString('base64')}`;
/** The work that is left takes as long as a lost answer of billing and its next tries. */
const SETTLED_MS = 400_000;
const LOOK_MS = 250;

export async function runChaos({ seed, seconds, accounts, processes }: ChaosOptions): Promise<Outcome> {
  const random = seeded(seed);
  const billing = await startBilling(random);
  const receiver = await startCallbackReceiver(random);
  const world = await startWorld({
    live: { greylistRetries: [1, 2] },
    config: {
      billing: { url: billing.url, secret: SECRET, perDay: 100_000 },
      callbacks: { allowPrivateAddresses: true },
    },
  });
  const { db } = world;
  const network = await startNetwork(socketOf(world.url));
  const wrong: string[] = [];
  const unbooked = watchUnbooked();
  const fleet = startFleet(
    world,
    { DATABASE_URL: throughNetwork(world.url, network.port) },
    (text) => wrong.push(text),
    (line) => {
      unbooked.read(line);
      // A request that gets a 500 for it. No disturbance is a reason for one.
      if (line.includes('"event":"unexpected error"')) wrong.push(line.trim());
    },
  );
  const commits = await watchCommits(db);
  try {
    await Promise.all(Array.from({ length: processes }, () => fleet.start()));
    const customers: Customer[] = [];
    for (let made = 0; made < accounts; made += 1) customers.push(await makeCustomer(db));
    const origins = () => [...fleet.services].map(({ origin }) => origin);
    const load = startLoad({ db, random, origins, callbackUrl: receiver.url }, customers, CLIENTS);
    const done = await disturb({ random, fleet, network, world }, seconds);
    load.stop();
    await load.over;
    while (fleet.services.size < processes) await fleet.start();
    await resumeAll(db);
    wrong.push(...(await settle(db)));
    const disturbances = [...done, ...(await commits.stop())];
    wrong.push(...(await auditBooks(db)).map(sayDifference));
    const free = await unbooked.free(db);
    wrong.push(...unbooked.compare(disturbances), ...(await compareCustomers(db, customers, free)));
    wrong.push(...(await comparePayments(db, billing)));
    const counts: Record<string, number> = {};
    for (const { name } of disturbances) counts[name] = (counts[name] ?? 0) + 1;
    const allFree = [...free.values()].reduce((sum, count) => sum + count, 0);
    const say = (figures: Iterable<readonly [unknown, number]>) =>
      [...figures].map(([name, count]) => `${count} ${name}`).join(', ');
    const statuses = [...load.statuses].sort(([one], [other]) => Number(one) - Number(other));
    return {
      wrong,
      did: `Disturbances: ${say(Object.entries(counts))}. Statuses: ${say(statuses.map(([status, count]) => [`× ${status}`, count]))}. Payments: ${billing.paid.size}. Results sent before they were booked: ${unbooked.count}, of which free: ${allFree}.`,
    };
  } finally {
    await commits.stop();
    await network.close();
    billing.close();
    receiver.close();
    await world.close();
  }
}

/** The server listens on a socket in a folder. */
function socketOf(url: string): string {
  const { searchParams, port } = new URL(url.replace('@/', '@localhost/'));
  return `${searchParams.get('host')}/.s.PGSQL.${port || 5432}`;
}

function throughNetwork(url: string, port: number): string {
  return url.replace(/@\/([^?]*)\?.*$/, `@127.0.0.1:${port}/$1`);
}

async function resumeAll(db: Db): Promise<void> {
  const paused = await db.selectFrom('batches').select('id').where('paused_at', 'is not', null).execute();
  for (const { id } of paused) await resumeBatch(db, { id });
}

/** Waits until no work is left. */
async function settle(db: Db): Promise<string[]> {
  const end = performance.now() + SETTLED_MS;
  for (;;) {
    const { rows } = await sql<Record<string, number>>`
      select (select count(*) from verifications where state = 'running') as verifications,
        (select count(*) from batches where completed_at is null and account_id is not null) as batches,
        (select count(*) from payments where ended_at is null) as payments,
        (select count(*) from callbacks where process_id is not null or due_at <= clock_timestamp()) as callbacks
    `.execute(db);
    const left = Object.entries(rows[0]!).filter(([, count]) => count > 0);
    if (left.length === 0) return [];
    if (performance.now() > end) return left.map(([what, count]) => `${count} ${what} that did not end`);
    await pause(LOOK_MS);
  }
}

/**
 * What was acknowledged is there and charged, and nothing else was charged.
 *
 * @param free how many results were sent before they were booked, and not charged, by account
 */
async function compareCustomers(
  db: Db,
  customers: readonly Customer[],
  free: ReadonlyMap<string, number>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id, certain, open, batches } of customers) {
    const { rows } = await sql<{ charged: number }>`
      select coalesce(sum(case why when 'verification' then 1 else -1 end), 0)::bigint as charged
      from ledger where account_id = ${id} and why in ('verification', 'refund')
    `.execute(db);
    const { charged } = rows[0]!;
    const certainlyCharged = certain - (free.get(id) ?? 0);
    if (charged < certainlyCharged)
      wrong.push(`account ${id}: ${charged} charges for ${certainlyCharged} results that were booked`);
    if (charged > certain + open)
      wrong.push(`account ${id}: ${charged} charges, but ${certain} results and ${open} lost answers`);
    const there = await db.selectFrom('batches').select('id').where('account_id', '=', id).execute();
    const known = new Set(there.map((batch) => batch.id));
    for (const batch of batches) {
      if (!known.has(batch)) wrong.push(`account ${id}: the acknowledged batch ${batch} is gone`);
    }
  }
  return wrong;
}

/** Each payment that billing has charged is there with its credits. The audit compares them with the ledger. */
async function comparePayments(db: Db, { paid }: BillingServer): Promise<string[]> {
  const { rows } = await sql<{ id: string; account: string; credits: number; booked: number }>`
    select paid.id, paid.account, paid.credits, coalesce((
      select credits from payments where 'msg_' || payments.id = paid.id and payments.account = paid.account
    ), 0) as booked
    from unnest(
      ${[...paid.keys()]}::text[], ${[...paid.values()].map(({ account }) => account)}::text[],
      ${[...paid.values()].map(({ credits }) => credits)}::bigint[]
    ) as paid (id, account, credits)
    join accounts on accounts.id = account and deleted_at is null
  `.execute(db);
  return rows
    .filter(({ credits, booked }) => credits !== booked)
    .map(
      ({ id, account, credits, booked }) =>
        `account ${account}: ${credits} credits were paid for as ${id}, and ${booked} booked`,
    );
}

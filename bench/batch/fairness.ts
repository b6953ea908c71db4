/** Measures how long small batches take while many accounts wait for silent mail servers. */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { silentLog } from '../../src/service/core/log.ts';
import { type Database, openDatabase } from '../../src/service/database/database.ts';
import { createKey } from '../../src/service/keys/key-store.ts';
import { createAccount } from '../../src/service/people/members/create-account.ts';
import { domainOf } from '../engine/places.ts';
import { type Figure, type Part, round } from '../report.ts';
import { quantile } from '../statistics.ts';
import { newAddresses } from './addresses.ts';
import { type Account, accountOf, startBatchWorld } from './world.ts';

const ACCOUNTS = 200;
/** Those whose addresses are at silent servers. */
const SILENT = 100;
const OF_SILENT = 2_000;
const SMALL = 10;
const BATCHES = 50;
const APART_MS = 150;
/** The silent ones begin before. */
const BEFORE_MS = 5_000;
const SERVERS = 8;
const REPLY_MS = 20;
const TARGET_S = 10;
/** One that is not completed until then counts as this long. */
const LONGEST_MS = 120_000;
const LOOK_MS = 200;
const MUCH = 1_000_000;
const PER_HOST = { connections: 16, perMinute: MUCH, recipientsPerConnection: 20 };

export async function measureFairness(isQuick: boolean): Promise<Part> {
  const processes = isQuick ? [1] : [1, 4];
  const figures: Figure[] = [];
  for (const mode of ['live', 'test'] as const) {
    const found = [];
    for (const count of processes) found.push({ count, times: await timesOf(mode, count, isQuick) });
    figures.push(report(mode, found));
  }
  return { title: 'Batches of many accounts', figures };
}

/** @returns the milliseconds from the creation to the completion of each small batch */
async function timesOf(mode: 'live' | 'test', processes: number, isQuick: boolean): Promise<number[]> {
  const options = { mailServers: SERVERS + SILENT, silent: SILENT, replyMs: REPLY_MS, perHost: PER_HOST };
  const world = await startBatchWorld(options);
  const database = openDatabase({ url: world.url }, { log: silentLog });
  try {
    await database.ready;
    const services = await Promise.all(Array.from({ length: processes }, () => world.startService()));
    const accounts: Account[] = [];
    for (let number = 0; number < ACCOUNTS; number += 1)
      accounts.push(accountOf(services[number % processes]!.origin, await makeKey(database, mode)));
    for (const [number, account] of accounts.slice(0, SILENT).entries())
      await account.create(silentAddresses(number, isQuick ? OF_SILENT / 10 : OF_SILENT));
    await pause(BEFORE_MS);
    const ids: string[] = [];
    for (const account of accounts.slice(SILENT, SILENT + BATCHES)) {
      ids.push(await account.create(newAddresses(SMALL, SERVERS)));
      await pause(APART_MS);
    }
    return await completions(database, ids);
  } finally {
    await database.close();
    await world.close();
  }
}

async function makeKey({ db }: Database, mode: 'live' | 'test'): Promise<string> {
  const email = `owner${crypto.randomUUID()}@example.com`;
  const account = await createAccount(db, { email, passwordHash: 'none', credits: MUCH });
  if (typeof account === 'string') throw new Error('Expected a new account, got one that exists.');
  const { key } = await createKey(db, {
    ...{ account_id: account.id, kind: 'private', mode, name: null, trusted_domains: [], trusted_ips: [] },
  });
  return key;
}

/** The addresses of an account, at all silent servers. */
const silentAddresses = (account: number, count: number) =>
  Array.from({ length: count }, (_, index) => `u${account}-${index}@${domainOf(SERVERS + (index % SILENT))}`);

async function completions({ db }: Database, ids: readonly string[]): Promise<number[]> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const { rows } = await sql<{ ms: number | null }>`
      select extract(epoch from completed_at - created_at)::float8 * 1000 as ms from batches
      where id = any(${ids}::text[])
    `.execute(db);
    if (rows.every(({ ms }) => ms !== null) || performance.now() > until)
      return rows.map(({ ms }) => ms ?? LONGEST_MS);
    await pause(LOOK_MS);
  }
}

function report(
  mode: 'live' | 'test',
  found: readonly { readonly count: number; readonly times: readonly number[] }[],
): Figure {
  const say = (ms: number) => `${round(ms / 1_000)} s`;
  const isLive = mode === 'live';
  const name = (count: number) => (count === 1 ? 'one process' : `${count} processes`);
  return {
    title: isLive ? 'Small batches beside silent mail servers' : 'Small test batches beside large ones',
    how: `${ACCOUNTS} accounts. ${SILENT} of them have a batch of ${OF_SILENT.toLocaleString('en')} addresses each, ${isLive ? `at ${SILENT} mail servers that accept connections and say nothing` : 'with a test key'}. ${BEFORE_MS / 1_000} s later, ${BATCHES} others create a batch of ${SMALL} each, ${APART_MS} ms apart${isLive ? `, at ${SERVERS} mail servers that take ${REPLY_MS} ms for each reply` : ''}. The times are those between the creation and the completion, by the clock of the database.`,
    head: ['', 'median', 'slowest'],
    rows: found.map(({ count, times }) => [name(count), say(quantile(times, 0.5)), say(Math.max(...times))]),
    targets: found.map(({ count, times }) => ({
      text: `with ${name(count)}, each within ${TARGET_S} s`,
      found: `${say(Math.max(...times))} at most`,
      isMet: Math.max(...times) < TARGET_S * 1_000,
    })),
  };
}

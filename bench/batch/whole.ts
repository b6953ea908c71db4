/** Measures one large batch, and how long other requests wait meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, round } from '../report.ts';
import { sharesOf } from '../service/profile.ts';
import type { Server } from '../service/server.ts';
import { quantile } from '../statistics.ts';
import { sayShares } from '../widget/profile.ts';
import { newAddresses, seconds, timed } from './addresses.ts';
import { databaseProcessor } from './processor.ts';
import { type Account, isCompleted, startBatchWorld } from './world.ts';

const SERVERS = 8;
const PER_HOST = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
const LOOK_MS = 50;
const BETWEEN_SINGLES_MS = 500;
const MB = 1_000_000;

/** Milliseconds. */
interface Waits {
  readonly reads: readonly number[];
  readonly idle: readonly number[];
  readonly singles: readonly number[];
  readonly small: number;
  readonly whole: number;
}

export async function whole(count: number): Promise<Figure> {
  const world = await startBatchWorld({ mailServers: SERVERS, replyMs: 0, perHost: PER_HOST });
  try {
    const service = await world.startService();
    const owner = await world.createAccount(service);
    const other = await world.createAccount(service);
    // Warms up, so that the code is compiled.
    await owner.completed(await owner.create(newAddresses(count / 50, SERVERS)));
    const emails = newAddresses(count, SERVERS);
    const before = await processorOf(service);
    const accepted = await timed(() => owner.create(emails));
    const waits = await watch(owner, other, accepted.result, world.askIdle);
    const after = await processorOf(service);
    const peak = await service.peak();
    const { total_counts: counts } = await owner.read(accepted.result);
    if (counts?.deliverable !== count) {
      throw new Error(`Expected ${count} deliverable addresses, got ${JSON.stringify(counts)}.`);
    }
    // In a separate process, because watching takes time and memory.
    const profile = await service.profile(async () =>
      owner.completed(await owner.create(newAddresses(count / 10, SERVERS))),
    );
    return report(count, {
      ...{ waits, accepted: accepted.ms, peak },
      service: (after.service - before.service) / count,
      database: (after.database - before.database) / count,
      profile: sayShares(sharesOf(profile), 8),
    });
  } finally {
    await world.close();
  }
}

async function processorOf(service: Server) {
  return { service: await service.processor(), database: databaseProcessor(process.pid) };
}

/** Reads the status until the batch is completed. Meanwhile, the other account verifies too. */
async function watch(
  owner: Account,
  other: Account,
  id: string,
  askIdle: () => Promise<unknown>,
): Promise<Waits> {
  const reads: number[] = [];
  const idle: number[] = [];
  const singles: number[] = [];
  let isOver = false;
  const askSingles = async () => {
    while (!isOver) {
      const [email] = newAddresses(1, SERVERS);
      singles.push((await timed(() => other.verify(email!))).ms);
      await pause(BETWEEN_SINGLES_MS);
    }
  };
  const verifySmall = async () => other.completed(await other.create(newAddresses(10, SERVERS)));
  const others = Promise.all([timed(verifySmall), askSingles()]);
  const all = await timed(async () => {
    while (!isOver) {
      const { result, ms } = await timed(() => owner.read(id));
      reads.push(ms);
      idle.push((await timed(askIdle)).ms);
      isOver = isCompleted(result);
      if (!isOver) await pause(LOOK_MS);
    }
  });
  const [small] = await others;
  return { reads, idle, singles, small: small.ms, whole: all.ms };
}

interface Found {
  readonly waits: Waits;
  readonly accepted: number;
  readonly peak: number;
  readonly service: number;
  readonly database: number;
  readonly profile: string;
}

function report(count: number, { waits, accepted, peak, service, database, profile }: Found): Figure {
  const perSecond = count / seconds(waits.whole);
  const say = (values: readonly number[]) =>
    [0.5, 0.99, 1].map((share) => `${round(quantile(values, share))} ms`).join(', ');
  const slowest = Math.max(...waits.reads);
  const because = `a profile of the service's process shows ${profile}`;
  const target = (text: string, found: string, isMet: boolean) => ({ text, found, isMet, because });
  const memory = `${round(peak / MB)} MB`;
  return {
    title: `A batch of ${count.toLocaleString('en')} addresses`,
    how: `One process of the service on the embedded database with its own settings (every commit is on the disk). The mail servers of ${SERVERS} organisations run in another process and reply at once, with ${PER_HOST.connections} connections, 1,000,000 conversations a minute and ${PER_HOST.recipientsPerConnection} recipients in a conversation for each. The status is read again ${LOOK_MS} ms after each read. Meanwhile, another account creates a batch of 10. It also verifies single addresses, with pauses of ${BETWEEN_SINGLES_MS} ms. The processor time of the database is that of all its processes.`,
    head: ['', 'found'],
    rows: [
      ['accepted after', `${round(accepted)} ms`],
      ['addresses per second', round(perSecond)],
      ['largest resident set of the service', memory],
      ['a read of the status: median, 99th percentile, largest', say(waits.reads)],
      ['a request to an idle process, after each read', say(waits.idle)],
      ["another account's batch of 10", `${round(waits.small)} ms`],
      ['a single verification: median, 99th percentile, largest', say(waits.singles)],
      ['processor time of the service for each address', `${round(service)} µs`],
      ['processor time of the database for each address', `${round(database)} µs`],
    ],
    targets: [
      target('accepted in under 2 s', `${round(accepted)} ms`, accepted < 2_000),
      target('at least 500 addresses per second', round(perSecond), perSecond >= 500),
      target('the process under 300 MB', memory, peak < 300 * MB),
      target('a read of the status under 50 ms throughout', `${round(slowest)} ms at most`, slowest < 50),
      target("another account's batch of 10 within 3 s", `${round(waits.small)} ms`, waits.small < 3_000),
    ],
    notes: [`${because[0]!.toUpperCase()}${because.slice(1)}.`],
  };
}

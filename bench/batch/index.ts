/** Batches on the embedded database, with mail servers on loopback. */
import { setTimeout as pause } from 'node:timers/promises';
import { domainOf } from '../engine/places.ts';
import { type Figure, NONE, type Part, round } from '../report.ts';
import { sharesOf } from '../service/profile.ts';
import { quantile } from '../statistics.ts';
import { sayShares } from '../widget/profile.ts';
import { databaseProcessor } from './processor.ts';
import { isCompleted, startBatchWorld } from './world.ts';

const WHOLE = 50_000;
const FAST = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
/** The defaults of the config. */
const USUAL = { connections: 2, perMinute: 60, recipientsPerConnection: 20 };
const LOOK_MS = 50;
/** The database is asked in one process, so that its own time can be told apart. */
const SERVERS = 8;

/** Addresses that no other call has made, at each domain in turn. */
let made = 0;
const addresses = (count: number, domains: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    made += 1;
    return `user${made}@${domainOf(index % domains)}`;
  });

const seconds = (ms: number) => ms / 1_000;
async function timed<Result>(work: () => Promise<Result>) {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}

export async function measureBatches(isQuick: boolean): Promise<Part> {
  const count = isQuick ? WHOLE / 25 : WHOLE;
  return {
    title: 'Batches',
    figures: [
      await whole(count),
      await twoProcesses(isQuick ? 400 : 4_000),
      await slowServer(isQuick ? 100 : 1_000),
    ],
  };
}

/** One large batch, and what others wait for meanwhile. */
async function whole(count: number): Promise<Figure> {
  const world = await startBatchWorld({ mailServers: SERVERS, replyMs: 0, perHost: FAST });
  try {
    const service = await world.startService();
    const [owner, other] = [await world.createAccount(service), await world.createAccount(service)];
    // What is compiled is there by then.
    await owner.completed(await owner.create(addresses(count / 50, SERVERS)));
    const emails = addresses(count, SERVERS);
    const before = { service: await service.processor(), database: databaseProcessor(process.pid) };
    const accepted = await timed(() => owner.create(emails));
    const id = accepted.result;
    const reads: number[] = [];
    let small: Promise<number> | undefined;
    const singles: number[] = [];
    let isOver = false;
    const askSingles = async () => {
      while (!isOver) {
        singles.push((await timed(() => other.verify(addresses(1, SERVERS)[0]!))).ms);
        await pause(10 * LOOK_MS);
      }
    };
    let asked: Promise<void> | undefined;
    const verified = await timed(async () => {
      for (;;) {
        const { result: status, ms } = await timed(() => owner.read(id));
        reads.push(ms);
        if (isCompleted(status)) return;
        small ??= timed(async () => other.completed(await other.create(addresses(10, SERVERS)))).then(
          (found) => found.ms,
        );
        asked ??= askSingles();
        await pause(LOOK_MS);
      }
    });
    isOver = true;
    await asked;
    const used = {
      service: (await service.processor()) - before.service,
      database: databaseProcessor(process.pid) - before.database,
    };
    const status = await owner.read(id);
    if (status.total_counts?.deliverable !== count) {
      throw new Error(`Expected ${count} deliverable addresses, got ${JSON.stringify(status)}.`);
    }
    const perSecond = count / seconds(verified.ms);
    const peak = (await service.peak()) / 2 ** 20;
    const smallMs = (await small) ?? Number.NaN;
    const [median, p99, slowest] = [0.5, 0.99, 1].map((share) => quantile(reads, share));
    // For itself, because watching takes time and memory.
    const profile = await service.profile(async () =>
      owner.completed(await owner.create(addresses(count / 10, SERVERS))),
    );
    const shares = `by a profile, the time of the service's process goes to ${sayShares(sharesOf(profile), 8)}`;
    const target = (text: string, found: string, isMet: boolean) => ({ text, found, isMet, because: shares });
    return {
      title: `A batch of ${count.toLocaleString('en')} addresses`,
      how: `One process of the service on the embedded database with its own settings (every commit is on the disk). Mail servers of ${SERVERS} organisations are in another process and answer at once; ${FAST.connections} connections, 1,000,000 conversations a minute and ${FAST.recipientsPerConnection} recipients for each. The status is read all the time, with ${LOOK_MS} ms between two reads. Meanwhile, another account creates a batch of 10, and verifies single addresses one after the other. The processor time of the database is that of all its processes.`,
      head: ['', 'found'],
      rows: [
        ['accepted after', `${round(accepted.ms)} ms`],
        ['addresses per second', round(perSecond)],
        ['largest resident set of the service', `${round(peak)} MiB`],
        [
          'time of a read: median, 99th percentile, largest',
          [median, p99, slowest].map((ms) => `${round(ms!)} ms`).join(', '),
        ],
        ["another account's batch of 10", `${round(smallMs)} ms`],
        [
          'a single verification meanwhile: median, largest',
          [0.5, 1].map((share) => `${round(quantile(singles, share))} ms`).join(', '),
        ],
        ['processor time of the service, for each address', `${round(used.service / count)} µs`],
        [
          'processor time of the database, for each address',
          Number.isNaN(used.database) ? NONE : `${round(used.database / count)} µs`,
        ],
      ],
      targets: [
        target('accepted in under 2 s', `${round(accepted.ms)} ms`, accepted.ms < 2_000),
        target('at least 500 addresses per second', round(perSecond), perSecond >= 500),
        target('the process under 300 MB', `${round(peak)} MiB`, peak * 2 ** 20 < 300_000_000),
        target('status under 50 ms throughout', `${round(slowest!)} ms at most`, slowest! < 50),
        target("another account's batch of 10 within 3 s", `${round(smallMs)} ms`, smallMs < 3_000),
      ],
      notes: [`${shares[0]!.toUpperCase()}${shares.slice(1)}.`],
    };
  } finally {
    await world.close();
  }
}

/** Enough mail servers that none of them is what all wait for. */
const MANY_SERVERS = 120;
const SLOW_REPLY_MS = 200;

async function twoProcesses(count: number): Promise<Figure> {
  const perSecond: number[] = [];
  for (const processes of [1, 2]) {
    const world = await startBatchWorld({ mailServers: MANY_SERVERS, replyMs: SLOW_REPLY_MS, perHost: FAST });
    try {
      const [service] = await Promise.all(Array.from({ length: processes }, () => world.startService()));
      const owner = await world.createAccount(service!);
      const { ms } = await timed(async () =>
        owner.completed(await owner.create(addresses(count, MANY_SERVERS))),
      );
      perSecond.push(count / seconds(ms));
    } finally {
      await world.close();
    }
  }
  const [one, two] = perSecond;
  const ratio = two! / one!;
  return {
    title: 'Two processes, with mail servers that are waited for',
    how: `A batch of ${count.toLocaleString('en')} addresses at ${MANY_SERVERS} organisations, whose mail servers take ${SLOW_REPLY_MS} ms for each reply.`,
    head: ['', 'addresses per second', '÷ one'],
    rows: [
      ['one process', round(one!), NONE],
      ['two processes', round(two!), `${round(ratio)} ×`],
    ],
    targets: [
      {
        text: 'two processes do at least 1.6 times the work of one',
        found: `${round(ratio)} ×`,
        isMet: ratio >= 1.6,
      },
    ],
  };
}

async function slowServer(count: number): Promise<Figure> {
  const world = await startBatchWorld({ mailServers: 1, replyMs: 10, perHost: USUAL });
  try {
    const service = await world.startService();
    const owner = await world.createAccount(service);
    const { ms } = await timed(async () => owner.completed(await owner.create(addresses(count, 1))));
    const found = `${round(seconds(ms))} s`;
    return {
      title: 'A mail server that takes 10 ms for each reply',
      how: `A batch of ${count.toLocaleString('en')} addresses at one organisation, with the config's defaults: ${USUAL.connections} connections, ${USUAL.perMinute} conversations a minute, ${USUAL.recipientsPerConnection} recipients in a conversation.`,
      head: ['', 'completed after'],
      rows: [[`${count.toLocaleString('en')} addresses`, found]],
      targets: [{ text: '1,000 addresses in under 60 s', found, isMet: ms < 60_000 }],
    };
  } finally {
    await world.close();
  }
}

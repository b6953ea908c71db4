/** Measures the capacity of one machine with one, two and four processes. */
import { databaseProcessor } from '../batch/processor.ts';
import { type Figure, round } from '../report.ts';
import type { Server } from '../service/server.ts';
import { type Answer, type Summary, summarise } from './answers.ts';
import { runBatches } from './batches.ts';
import { type DatabaseCost, readCost, readLog, reportRows } from './database-cost.ts';
import { KINDS, LONGEST_MS, SHORTEST_MS } from './organisations.ts';
import { type HowToStart, startWorld } from './world.ts';

type Role = HowToStart['role'];
const PROCESSES: readonly (readonly Role[])[] = [
  [undefined],
  [undefined, undefined],
  [undefined, undefined, undefined, undefined],
  ['web', 'worker'],
];
/** Enough clients to keep all processes busy. A verification lasts about a second. */
export const CLIENTS = 600;
const CALM_SHARE = 0.7;
export const WARM_UP_S = 8;
export const MOST_S = 20;
const CALM_S = 20;
const BATCHES = 4;
const BATCH_SIZE = 1_000;
const MB = 1_000_000;
const TARGET_CALM_P99_MS = 5_000;

interface Found {
  /** The processes, such as `2`. */
  readonly processes: string;
  /** The largest number of results per second. */
  readonly perSecond: number;
  readonly most: Summary;
  readonly calm: Summary;
  readonly perMinute: number;
  /** Microseconds for each verification. */
  readonly service: number;
  readonly database: number;
  readonly rss: number;
  readonly cost: DatabaseCost;
}

export interface Capacity {
  readonly figures: readonly Figure[];
  /** The results of one process per second. */
  readonly one: number;
}

export async function measureCapacity(isQuick: boolean): Promise<Capacity> {
  const share = isQuick ? 0.4 : 1;
  const found: Found[] = [];
  for (const roles of isQuick ? PROCESSES.slice(0, 1) : PROCESSES) found.push(await measure(roles, share));
  return { figures: [report(found, share), reportRows(found[0]!.cost)], one: found[0]!.perSecond };
}

async function measure(roles: readonly Role[], share: number): Promise<Found> {
  const world = await startWorld({ live: { greylistRetries: [1, 2] } });
  try {
    const services: Server[] = [];
    for (const role of roles) services.push(await world.startService(role ? { role } : {}));
    const processes = roles[0] ? roles.join(' + ') : String(roles.length);
    // Processes that are only workers get no requests.
    const web = services.filter((_, index) => roles[index] !== 'worker');
    const first = await readLog(world.db);
    // Warms up, so that the code is compiled.
    await world.load(web, { clients: CLIENTS, seconds: WARM_UP_S * share });
    const before = await processorOf(services);
    const answers = await world.load(web, { clients: CLIENTS, seconds: MOST_S * share });
    const after = await processorOf(services);
    const perSecond = perSecondOf(answers, MOST_S * share);
    const stages = [[perSecond * CALM_SHARE, CALM_S * share]] as const;
    const calm = await world.load(web, { stages });
    const live = await readLog(world.db);
    const batchesMs = await runBatches(world, services[0]!, BATCHES, BATCH_SIZE * share);
    const peaks = await Promise.all(services.map((service) => service.peak()));
    return {
      ...{
        processes,
        perSecond,
        most: summarise(answers, MOST_S * share),
        calm: summarise(calm, CALM_S * share),
      },
      perMinute: (BATCHES * 60_000) / batchesMs,
      service: (after.service - before.service) / answers.length,
      database: (after.database - before.database) / answers.length,
      rss: Math.max(...peaks),
      cost: await readCost(world.db, first, live),
    };
  } finally {
    await world.close();
  }
}

/** The rate while all clients are active: without the first quarter, and without the time after the end. */
function perSecondOf(answers: readonly Answer[], seconds: number): number {
  const ended = answers.filter(([atMs, tookMs, status]) => {
    const endS = (atMs + tookMs) / 1_000;
    return status === 200 && endS >= seconds / 4 && endS < seconds;
  });
  return ended.length / (seconds * 0.75);
}

async function processorOf(services: readonly Server[]) {
  const all = await Promise.all(services.map((service) => service.processor()));
  return { service: all.reduce((sum, each) => sum + each, 0), database: databaseProcessor(process.pid) };
}

const ms = (value: number) => `${round(value)} ms`;

function report(found: readonly Found[], share: number): Figure {
  const kinds = KINDS.map(
    ({ name, organisations, medianMs, spread, greylists }) =>
      `${organisations} ${name}${greylists ? ` ${greylists * 100} % of recipients` : ''} (median ${medianMs} ms, spread ${spread})`,
  );
  return {
    title: 'Live verifications and batches',
    how: `Each row has its own PostgreSQL with the settings of the embedded one: every commit is on the disk. All processes use it by a URL. The client, the mail servers and the database run on the same machine. A mail server replies to each command after ${SHORTEST_MS} to ${LONGEST_MS} ms (log-normal). The organisations of the mail servers are: ${kinds.join(', ')}. The client sends requests to the processes in turn, over open connections, with the keys of 10 accounts. *Most*: for ${MOST_S * share} s, ${CLIENTS} clients each send their next request when they have their response. The first quarter does not count. *Calm*: for ${CALM_S * share} s, ${CALM_SHARE * 100} % of that rate arrives at random (Poisson). *Batches*: ${BATCHES} batches of ${(BATCH_SIZE * share).toLocaleString('en')} addresses run at once. Their time is from the first request to the last completion, with the retries after greylisting (1 s and 2 s). Processor times are those of all processes of the service and of PostgreSQL, for each verification of *most*. Memory is the largest resident set of one process.`,
    head: [
      'processes',
      'most per second',
      'p50',
      'p99',
      'calm p50',
      'calm p99',
      'batches a minute',
      'processor of the service',
      'processor of the database',
      "the database's share",
      'memory',
    ],
    rows: found.map(({ processes, perSecond, most, calm, perMinute, service, database, rss }) => [
      processes,
      round(perSecond),
      ms(most.p50),
      ms(most.p99),
      ms(calm.p50),
      ms(calm.p99),
      round(perMinute),
      `${round(service)} µs`,
      `${round(database)} µs`,
      `${round((100 * database) / (database + service))} %`,
      `${round(rss / MB)} MB`,
    ]),
    targets: found.flatMap(({ processes, calm }) => {
      const who = `processes: ${processes}`;
      return [
        {
          text: `${who}: when calm, every request gets a result or a 249`,
          found: `${calm.refused} refused, ${calm.others} broken`,
          isMet: calm.count > 0 && calm.refused + calm.others === 0,
        },
        {
          text: `${who}: when calm, p99 within the default timeout of 5 s`,
          found: ms(calm.p99),
          isMet: calm.p99 <= TARGET_CALM_P99_MS,
        },
      ];
    }),
  };
}

/** Measures batches of a million entries: over the API, from a file of the dashboard, and as a workbook that comes back. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { domainOf } from '../engine/places.ts';
import { isWanted } from '../only.ts';
import { type Figure, NONE, type Part, round } from '../report.ts';
import type { Server } from '../service/server.ts';
import { seconds, timed } from './addresses.ts';
import { openOwner, signIn } from './owner.ts';
import { workbooks } from './workbooks.ts';
import { type BatchWorld, startBatchWorld } from './world.ts';

const ENTRIES = 1_000_000;
const SERVERS = 8;
const PER_HOST = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
const MIB = 1024 * 1024;
const MOST_MIB = 512;
const MOST_WAIT_MS = 150;
const LOOK_MS = 50;

/** What was found while something happened. */
interface Found {
  readonly what: string;
  readonly ms: number;
  readonly peakMib: number;
  /** The longest wait for the service, and for an idle process. */
  readonly waitMs: number;
  readonly idleMs: number;
  /** The most processor time of the process in one turn of its event loop, which a busy machine does not change. */
  readonly turnMs: number;
  /** The largest process that it has started, such as one that reads a list. */
  readonly readerMib: number;
}

/** Each gets the share of the entries to measure with. */
const FIGURES = { batches: largeBatches, download: workbooks } as const;
export const LARGE_FIGURES = Object.keys(FIGURES);

/** @param only the names of the figures to measure begin so. @default all */
export async function measureLarge(isQuick: boolean, only: string | undefined): Promise<Part> {
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(FIGURES))
    if (isWanted(name, only)) figures.push(await measure(isQuick ? 0.1 : 1));
  return { title: 'Large batches', figures };
}

async function largeBatches(share: number): Promise<Figure> {
  const count = ENTRIES * share;
  const found: Found[] = [];
  // A process for each, because the largest memory of a process never falls.
  for (const measure of [overApi, overDashboard, longest]) {
    const world = await startBatchWorld({ mailServers: SERVERS, replyMs: 0, perHost: PER_HOST });
    try {
      found.push(...(await measure(world, count)));
    } finally {
      await world.close();
    }
  }
  return report(count, found);
}

const addressOf = (index: number) => `user${index}@${domainOf(index % SERVERS)}`;

async function overApi(world: BatchWorld, count: number): Promise<Found[]> {
  const list = JSON.stringify({ emails: Array.from({ length: count }, (_, index) => addressOf(index)) });
  const { service, owner } = await openOwner(world, count);
  const create = await watch(world, service, 'the API takes a list', () => post(service, owner.key, list));
  const work = await watch(world, service, '20 s of work on it', () => owner.readFor(20_000));
  return [create, work];
}

/** The largest body that the account may send. */
async function longest(world: BatchWorld, count: number): Promise<Found[]> {
  const { service, owner } = await openOwner(world, count);
  const entry = (index: number) => `${addressOf(index)}`.padStart(320, 'x');
  function* pieces() {
    yield '{"emails":[';
    for (let from = 0; from < count; from += 1_000) {
      const some = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => entry(from + index));
      yield (from > 0 ? ',' : '') + JSON.stringify(some).slice(1, -1);
    }
    yield ']}';
  }
  const what = 'the API takes entries of 320 bytes';
  return [await watch(world, service, what, () => post(service, owner.key, pieces()))];
}

async function overDashboard(world: BatchWorld, count: number): Promise<Found[]> {
  const { service, owner } = await openOwner(world, count);
  const rows = Array.from({ length: count }, (_, index) => `${index};${addressOf(index)};Name of ${index}`);
  const file = { name: 'list.csv', bytes: Buffer.from(['Number;Email;Name', ...rows].join('\r\n')) };
  const visitor = await signIn(service, owner);
  await visitor.open('/dashboard/batches/new');
  const found = [
    await watch(
      world,
      service,
      `the dashboard takes a file of ${round(file.bytes.length / MIB)} MiB`,
      async () => {
        await visitor.upload('Upload', file);
        if (visitor.status !== 303) throw new Error(`Expected a list, got ${visitor.text}`);
      },
    ),
    await watch(world, service, 'it shows what is in the list', () => visitor.follow()),
    await watch(world, service, 'it starts the batch', async () => {
      await visitor.press('Start');
      if (visitor.status !== 303) throw new Error(`Expected a batch, got ${visitor.text}`);
    }),
  ];
  return found;
}

/** Sends a body piece by piece. */
async function post({ origin }: Server, key: string, body: string | Iterable<string>): Promise<void> {
  const sent = request(`${origin}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  const answered = once(sent, 'response');
  const pieces = typeof body === 'string' ? cut(body) : body;
  for (const piece of pieces) if (!sent.write(piece)) await once(sent, 'drain');
  sent.end();
  const [response] = await answered;
  const said = await text(response);
  if (response.statusCode !== 200) throw new Error(`Expected a 200, got ${response.statusCode}: ${said}`);
}

function* cut(body: string): Generator<string> {
  for (let at = 0; at < body.length; at += MIB) yield body.slice(at, at + MIB);
}

/** @returns the largest memory of the process so far, and the longest wait for it meanwhile */
async function watch(
  world: BatchWorld,
  service: Server,
  what: string,
  act: () => Promise<unknown>,
): Promise<Found> {
  const watcher = spawn(
    process.execPath,
    ['bench/batch/watch-health.mjs', service.origin, world.idleOrigin],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  await once(watcher.stdout, 'data');
  const printed = text(watcher.stdout);
  let readerKib = 0;
  const looking = setInterval(() => {
    readerKib = Math.max(readerKib, largestBelow(service.pid));
  }, LOOK_MS);
  let ms = 0;
  const { processor } = await service.turns(async () => {
    ({ ms } = await timed(act));
  });
  clearInterval(looking);
  watcher.stdin.end();
  const [own, idle] = JSON.parse(await printed) as { longest: number }[];
  const found = {
    ...{ what, ms, waitMs: own!.longest, idleMs: idle!.longest, turnMs: processor },
    ...{ peakMib: (await service.peak()) / MIB, readerMib: readerKib / 1024 },
  };
  console.error(`${what}: ${JSON.stringify(found)}, load ${readFileSync('/proc/loadavg', 'utf8').trim()}`);
  return found;
}

/** The largest resident set so far of the processes that this one has started, in KiB. */
function largestBelow(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
    const sizes = children.map((child) =>
      Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child}/status`, 'latin1'))?.[1] ?? 0),
    );
    return Math.max(0, ...sizes);
  } catch {
    // It has just ended, or this is not Linux.
    return 0;
  }
}

function report(count: number, found: readonly Found[]): Figure {
  const most = (name: 'peakMib' | 'waitMs') => Math.max(...found.map((each) => each[name]));
  const [peak, wait] = [most('peakMib'), most('waitMs')];
  return {
    title: `Batches of ${count.toLocaleString('en')} entries`,
    how: `One process of the service, on the embedded database. An account may send batches of this size. A process of its own asks the service for /healthz, over and over, and in turn an idle process, whose longest response shows how busy the machine is. The resident set is the largest of the process of the service since its start. It reads lists in a process of their own, the reader. The processor time is that of all threads of the service in the longest turn of its event loop.`,
    head: [
      ...['', 'seconds', 'largest resident set', 'of the reader', 'longest wait for /healthz'],
      ...['of an idle process', 'processor time of a turn'],
    ],
    rows: found.map(({ what, ms, peakMib, readerMib, waitMs, idleMs, turnMs }) => [
      ...[
        what,
        seconds(ms).toFixed(1),
        `${round(peakMib)} MiB`,
        readerMib > 0 ? `${round(readerMib)} MiB` : NONE,
      ],
      ...[waitMs, idleMs, turnMs].map((each) => `${round(each)} ms`),
    ]),
    targets: [
      {
        text: `the process at most ${MOST_MIB} MiB`,
        found: `${round(peak)} MiB`,
        isMet: peak <= MOST_MIB,
      },
      {
        text: `/healthz within ${MOST_WAIT_MS} ms`,
        found: `${round(wait)} ms`,
        isMet: wait <= MOST_WAIT_MS,
        because: 'other processes of the machine also wait, as the last column shows',
      },
    ],
  };
}

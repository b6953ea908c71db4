/** Measures the service under load, and a bare Fastify route that responds with the same bytes and headers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KEYS } from '../../test/service/largest-requests.ts';
import { databaseProcessor } from '../batch/processor.ts';
import { isWanted } from '../only.ts';
import { bytes, type Figure, NONE, type Part, round, withSpread } from '../report.ts';
import { inTurn, pairedRatio, type Spread, slope, spreadOf } from '../statistics.ts';
import type { Share } from '../widget/profile.ts';
import { sayShares } from '../widget/profile.ts';
import { autocannon } from './autocannon.ts';
import { measureBystanders } from './bystanders.ts';
import { measureLargest } from './largest.ts';
import { measureLive } from './live.ts';
import { sharesOf } from './profile.ts';
import { measureProof, startProvingService } from './proof.ts';
import { type Server, startServer } from './server.ts';

const KEY = 'test_private_bench';
const OWNER = 'owner@example.com';
const PATH = '/v1/verify';
/** The target: this share of the bare route's requests. */
const TARGET_RATIO = 0.4;

const ROUNDS = 5;
const ROUND_S = 4;
const CONNECTIONS = 16;
/** Far below what the service can do: a profile counts the time that the process waits for a processor as work. */
const PROFILED_PER_SECOND = 5000;
const PROFILED = `at ${PROFILED_PER_SECOND.toLocaleString('en')} requests per second`;

/** Smaller parts of the processor time are left out. */
const SHOWN_SHARE = 0.015;

const MEMORY_REQUESTS = 200_000;
const MEMORY_STEPS = 10;
/** The warm-up before them, for one-time allocations and compilation. */
const WARM_UP_STEPS = 4;
/** The limit for flat memory: less than a quarter of a megabyte in all of them. */
const FLAT_BYTES = 1;

export const SERVICE_FIGURES = ['throughput', 'proof', 'memory', 'largest', 'live', 'bystanders'] as const;

export async function measureService(isQuick: boolean, only: string | undefined): Promise<Part> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const servers: Server[] = [];
  const started = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  const wanted = (name: (typeof SERVICE_FIGURES)[number]) => isWanted(name, only);
  const figures: Figure[] = [];
  try {
    if (wanted('throughput') || wanted('memory')) {
      const service = await started(startService(folder));
      if (wanted('throughput')) {
        const stored = await started(startStoredService(folder));
        const bare = await started(startBareRoute(folder, service));
        figures.push(...(await throughput(service, stored, bare, isQuick)));
      }
      // The used service has warmed up. A new one shows what the first requests leave behind.
      if (wanted('memory')) figures.push(await memory(service, isQuick));
    }
    if (wanted('proof')) {
      figures.push(await measureProof(await started(startProvingService(folder)), isQuick));
    }
    if (wanted('largest')) {
      figures.push(await measureLargest(await started(startKeyedService(folder)), isQuick));
    }
    if (wanted('live')) figures.push(await measureLive(isQuick));
    if (wanted('bystanders')) figures.push(await measureBystanders(isQuick));
    return { title: 'The service', figures };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true });
  }
}

function startService(folder: string): Promise<Server> {
  const config = join(folder, 'config.json');
  const limits = { verifyPerSecond: 1_000_000 };
  writeFileSync(config, JSON.stringify({ keys: [{ key: KEY, kind: 'private' }], limits }));
  return startServer('dist/service/main.js', ['--config', config, '--port', '0']);
}

/** The service with many keys. */
function startKeyedService(folder: string): Promise<Server> {
  const config = join(folder, 'keyed.json');
  const limits = { verifyPerSecond: 1_000_000 };
  writeFileSync(config, JSON.stringify({ keys: KEYS, limits }));
  return startServer('dist/service/main.js', ['--config', config, '--port', '0']);
}

/** The service with a database, whose account has a key with the same value. */
async function startStoredService(folder: string): Promise<Server> {
  const config = join(folder, 'stored.json');
  writeFileSync(config, JSON.stringify({ database: 'data', limits: { verifyPerSecond: 1_000_000 } }));
  const admin = (...words: string[]) =>
    promisify(execFile)(process.execPath, ['dist/admin/main.js', '--config', config, ...words]);
  const server = await startServer('dist/service/main.js', ['--config', config, '--port', '0']);
  await admin('account', 'create', '--email', OWNER);
  await admin('key', 'create', '--email', OWNER, '--kind', 'private', '--mode', 'test', '--key', KEY);
  return server;
}

/** The bare route with the service's response. */
async function startBareRoute(folder: string, service: Server): Promise<Server> {
  const response = await fetch(urlAt(service), { headers: AUTHORIZATION });
  if (response.status !== 200) throw new Error(`Expected an answer of the service, got ${response.status}.`);
  // The server sets these headers itself.
  const OWN = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN.includes(name)));
  const answer = join(folder, 'answer.json');
  writeFileSync(answer, JSON.stringify({ path: PATH, headers, body: await response.text() }));
  return startServer('bench/service/bare-route.mjs', [answer]);
}

const AUTHORIZATION = { authorization: `Bearer ${KEY}` };
const urlAt = ({ origin }: Server, user = 'jane.doe') => `${origin}${PATH}?email=${user}@example.com`;

/** The figures of one server, by round. */
interface Found {
  readonly perSecond: number[];
  readonly p99: number[];
  readonly processor: number[];
  readonly database: number[];
  readonly client: number[];
  readonly busy: number[];
}

const nothingYet = (): Found => ({
  ...{ perSecond: [], p99: [], processor: [], database: [], client: [], busy: [] },
});

/** The processor times so far, in microseconds. */
const timesOf = async (server: Server) => {
  const { user, system } = process.cpuUsage();
  return {
    processor: await server.processor(),
    database: databaseProcessor(server.pid),
    client: user + system,
  };
};

async function throughput(
  service: Server,
  stored: Server,
  bare: Server,
  isQuick: boolean,
): Promise<readonly [Figure, Figure]> {
  const servers = [service, stored, bare];
  const found = new Map<Server, Found>(servers.map((server) => [server, nothingYet()]));
  // The first round only warms up.
  for (let turn = 0; turn <= (isQuick ? 1 : ROUNDS); turn += 1) {
    for (const server of inTurn(servers, turn)) {
      const before = await timesOf(server);
      const { requests, latency, duration } = await load(server, { duration: isQuick ? 1 : ROUND_S });
      const after = await timesOf(server);
      if (turn === 0) continue;
      const each = found.get(server)!;
      each.perSecond.push(requests.average);
      each.p99.push(latency.p99);
      for (const name of ['processor', 'database', 'client'] as const) {
        each[name].push((after[name] - before[name]) / requests.total);
      }
      each.busy.push((100 * (after.processor - before.processor)) / 1_000_000 / duration);
    }
  }
  const profileOf = async (server: Server, rate?: { overallRate: number }) =>
    sharesOf(await server.profile(() => load(server, { duration: isQuick ? 1 : ROUND_S, ...rate })));
  const shares = await profileOf(service, { overallRate: PROFILED_PER_SECOND });
  // How many requests share a round trip to the database depends on the load.
  const storedShares = await profileOf(stored);
  const own = found.get(service)!;
  const kept = found.get(stored)!;
  const base = found.get(bare)!;
  const ratio = pairedRatio(own.perSecond, base.perSecond);
  const storedRatio = pairedRatio(kept.perSecond, base.perSecond);
  const row = (title: string, { perSecond, p99, processor, busy }: Found, isBase = false) => [
    title,
    withSpread(spreadOf(perSecond)),
    isBase ? NONE : withSpread(pairedRatio(perSecond, base.perSecond)),
    withSpread(spreadOf(processor), 'µs'),
    isBase ? NONE : withSpread(pairedRatio(processor, base.processor)),
    withSpread(spreadOf(busy), '%'),
    withSpread(spreadOf(p99), 'ms'),
    isBase ? NONE : withSpread(pairedRatio(p99, base.p99)),
  ];
  const figure: Figure = {
    title: 'Requests per second, and the 99th percentile of their time',
    how: `autocannon sends requests over ${CONNECTIONS} connections, for ${ROUND_S} s to each server in turn. The service, without and with a database, gets GET ${PATH} with a test key. A bare Fastify route in a separate process sends the same bytes and headers, with Fastify's defaults for connections. The service logs a line for each request, which is discarded here. The bare route logs nothing. "Processor time" is that of the server's process for each request, in user and system mode. "Busy" is the used share of one processor. autocannon uses another processor, and may be the limit.`,
    head: ['', 'requests per second', '÷ bare', 'processor time', '÷ bare', 'busy', 'p99', '÷ bare'],
    rows: [
      row('the service, key in the config', own),
      row('the service, key in the database', kept),
      row('a bare Fastify route', base, true),
    ],
    targets: [
      target('key in the config', ratio, own, base, shares, PROFILED),
      target('key in the database', storedRatio, kept, base, storedShares, 'under this load'),
    ],
  };
  return [figure, partsOf(kept, base, storedShares)];
}

/** Where the processor time of a request goes: that of all processes, and that of the service by its parts. */
function partsOf(kept: Found, base: Found, shares: readonly Share[]): Figure {
  const all = (found: Found, name: 'processor' | 'database' | 'client') => spreadOf(found[name]).median;
  const us = (value: number) => `${round(value)} µs`;
  const row = (title: string, name: 'processor' | 'database' | 'client') => [
    title,
    us(all(kept, name)),
    us(all(base, name)),
  ];
  const sum = (found: Found) => all(found, 'processor') + all(found, 'database') + all(found, 'client');
  return {
    title: 'Processor time of a request with a key in the database, by part',
    how: `The processes of the figure above. All of them share ${availableParallelism()} processors. The parts of the service come from a profile under the same load, which counts Node's work for a file as that of the file.`,
    head: ['', 'the service', 'a bare Fastify route'],
    rows: [
      row('the server', 'processor'),
      ...shares
        .filter(({ share }) => share >= SHOWN_SHARE)
        .map(({ place, share }) => [`of it: ${place}`, us(share * all(kept, 'processor')), NONE]),
      row('PostgreSQL', 'database'),
      row('autocannon', 'client'),
      ['all processes', us(sum(kept)), us(sum(base))],
    ],
    targets: [],
  };
}

function target(
  title: string,
  ratio: Spread,
  own: Found,
  base: Found,
  shares: readonly Share[],
  when: string,
): Figure['targets'][number] {
  const processor = ({ processor }: Found) => round(spreadOf(processor).median);
  return {
    text: `${title}: at least ${TARGET_RATIO} of the bare route`,
    found: withSpread(ratio),
    isMet: ratio.median >= TARGET_RATIO,
    because: `each request takes ${processor(own)} µs of processor time instead of ${processor(base)}: the service finds the key, counts the request, reads the parameters, forms the result and logs it. A profile ${when}, which counts Node's work for a file as that of the file, shows ${sayShares(shares, 8)}`,
  };
}

async function memory(service: Server, isQuick: boolean): Promise<Figure> {
  const step = (isQuick ? MEMORY_REQUESTS / 100 : MEMORY_REQUESTS) / MEMORY_STEPS;
  const points: { requests: number; heap: number; rss: number }[] = [];
  for (let count = 0; count <= WARM_UP_STEPS + MEMORY_STEPS; count += 1) {
    if (count) await load(service, { amount: step }, '[<id>]');
    points.push({ requests: (count - WARM_UP_STEPS) * step, ...(await service.memory()) });
  }
  const settled = points.slice(WARM_UP_STEPS);
  const perRequest = slope(settled.map(({ requests, heap }) => [requests, heap]));
  const shown = settled.filter((_, index) => index % 2 === 0);
  return {
    title: `Memory over ${(step * MEMORY_STEPS).toLocaleString('en')} requests`,
    how: `The heap of the process with its external memory, and its resident set, after garbage collection. Before, the process has responded to ${(step * WARM_UP_STEPS).toLocaleString('en')} other requests. Every request has another address. The growth is that of the heap by least squares.`,
    head: ['requests', ...shown.map(({ requests }) => requests.toLocaleString('en'))],
    rows: [
      ['heap', ...shown.map(({ heap }) => `${round(heap / 2 ** 20)} MiB`)],
      ['resident set', ...shown.map(({ rss }) => `${round(rss / 2 ** 20)} MiB`)],
    ],
    targets: [
      {
        text: `flat: under ${FLAT_BYTES} byte per request`,
        found: `${round(perRequest)} bytes per request, ${bytes(perRequest * step * MEMORY_STEPS)} in all`,
        isMet: perRequest < FLAT_BYTES,
        because: 'the process keeps something of each request',
      },
    ],
  };
}

async function load(
  server: Server,
  howLong: { duration: number; overallRate?: number } | { amount: number },
  user?: string,
) {
  const result = await autocannon({
    url: urlAt(server, user),
    connections: CONNECTIONS,
    headers: AUTHORIZATION,
    idReplacement: user !== undefined,
    ...howLong,
  });
  // Refusals are quicker than results.
  if (result.errors || result.non2xx) {
    throw new Error(`Expected answers only, got ${result.errors} errors and ${result.non2xx} refusals.`);
  }
  return result;
}

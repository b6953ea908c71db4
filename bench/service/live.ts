/** Measures requests with live keys, and a bare Fastify route with one debit in one transaction. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/service/database/embedded/start-embedded.ts';
import { type Figure, NONE, withSpread } from '../report.ts';
import { inTurn, pairedRatio, spreadOf } from '../statistics.ts';
import { sayShares } from '../widget/profile.ts';
import { autocannon, type Client } from './autocannon.ts';
import { sharesOf } from './profile.ts';
import { type Server, startServer } from './server.ts';

const TARGET_RATIO = 0.7;
const ROUNDS = 5;
const ROUND_S = 4;
const CONNECTIONS = 50;

interface Found {
  readonly perSecond: number[];
  readonly p99: number[];
  readonly processor: number[];
}

/** The header with which each connection names its account. */
type Headers = (connection: number) => Record<string, string>;

export async function measureLive(isQuick: boolean): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-live-'));
  const database = await startEmbedded(folder);
  const servers: Server[] = [];
  try {
    const { host, user, password, database: name } = database.connection;
    const url = `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`;
    const service = await startServer('test-results/bench/service/live-service.mjs', [url]);
    servers.push(service);
    const bare = await startServer('bench/service/bare-debit.mjs', [url]);
    servers.push(bare);
    const keys = /^keys (.*)$/m.exec(service.said)![1]!.split(' ');
    const headersOf = new Map<Server, Headers>([
      [service, (connection) => ({ authorization: `Bearer ${keys[connection % keys.length]}` })],
      [bare, (connection) => ({ 'x-account': String(connection % keys.length) })],
    ]);
    return await compare(service, bare, headersOf, isQuick);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await database.stop();
    rmSync(folder, { recursive: true });
  }
}

async function compare(
  service: Server,
  bare: Server,
  headersOf: ReadonlyMap<Server, Headers>,
  isQuick: boolean,
): Promise<Figure> {
  const found = new Map<Server, Found>(
    [service, bare].map((server) => [server, { perSecond: [], p99: [], processor: [] }]),
  );
  const duration = isQuick ? 1 : ROUND_S;
  // The first round only warms up.
  for (let turn = 0; turn <= (isQuick ? 1 : ROUNDS); turn += 1) {
    for (const server of inTurn([service, bare], turn)) {
      const before = await server.processor();
      const { requests, latency } = await load(server, headersOf.get(server)!, duration);
      const used = (await server.processor()) - before;
      if (turn === 0) continue;
      found.get(server)!.perSecond.push(requests.average);
      found.get(server)!.p99.push(latency.p99);
      found.get(server)!.processor.push(used / requests.total);
    }
  }
  const profile = await service.profile(() => load(service, headersOf.get(service)!, duration));
  const own = found.get(service)!;
  const base = found.get(bare)!;
  const ratio = pairedRatio(own.perSecond, base.perSecond);
  const row = (title: string, { perSecond, p99, processor }: Found, isBase = false) => [
    title,
    withSpread(spreadOf(perSecond)),
    isBase ? NONE : withSpread(ratio),
    withSpread(spreadOf(processor), 'µs'),
    withSpread(spreadOf(p99), 'ms'),
    isBase ? NONE : withSpread(pairedRatio(own.p99, base.p99)),
  ];
  return {
    title: 'Requests with live keys per second, and the 99th percentile of their time',
    how: `autocannon sends requests over ${CONNECTIONS} connections that share 10 accounts, for ${ROUND_S} s to each server in turn. The embedded database has its own settings (every commit is on the disk). The service gets GET /v1/verify with a private live key, and its verifier returns at once. Each request has another address. The bare route uses Fastify and pg: begin, update of one account, commit. Both have 10 connections to the database.`,
    head: ['', 'requests per second', '÷ bare', 'processor time', 'p99', '÷ bare'],
    rows: [row('the service', own), row('a bare route with one debit', base, true)],
    targets: [
      {
        text: `at least ${TARGET_RATIO} of the bare route`,
        found: withSpread(ratio),
        isMet: ratio.median >= TARGET_RATIO,
        because: `a request counts for its rate, writes the ledger, and makes and removes the row of its verification. A profile of the service's own process shows ${sayShares(sharesOf(profile), 8)}`,
      },
    ],
  };
}

async function load(server: Server, headers: Headers, duration: number) {
  let connection = 0;
  const result = await autocannon({
    url: `${server.origin}/v1/verify?email=[<id>]@example.com`,
    connections: CONNECTIONS,
    idReplacement: true,
    duration,
    setupClient(client: Client) {
      client.setHeaders(headers(connection));
      connection += 1;
    },
  });
  // Refusals are quicker than results.
  if (result.errors || result.non2xx) {
    throw new Error(`Expected answers only, got ${result.errors} errors and ${result.non2xx} refusals.`);
  }
  return result;
}

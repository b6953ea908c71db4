/** Measures the engine on loopback, and a bare loop of sockets that sends the same commands to the same mail servers. */
import { startDnsServer } from '../../test/engine/world/dns-server.ts';
import type { Zone } from '../../test/engine/world/dns-zone.ts';
import { type Figure, NONE, type Part, round, withSpread } from '../report.ts';
import { sharesOf } from '../service/profile.ts';
import { type Server, startServer } from '../service/server.ts';
import { inTurn, pairedRatio, slope, spreadOf } from '../statistics.ts';
import { sayShares } from '../widget/profile.ts';
import type { MailCounts } from './mail-servers.ts';
import { CONNECTIONS, domainOf, hostOf, ipOf, RECIPIENTS, SERVERS } from './places.ts';
import { startRun } from './runs.ts';

const BUILT = 'test-results/bench/engine';
const TARGET_PER_SECOND = 800;
const ADDRESSES = 3_000;
const ROUNDS = 7;
/** Addresses at the same time: more than allowed conversations, so that some wait. */
const AT_ONCE = 256;

const MEMORY_STEPS = 10;
/** The warm-up before them, for one-time allocations and compilation. */
const WARM_UP_STEPS = 4;
/** The limit for flat memory: less than the size of an address. */
const FLAT_BYTES = 16;

/** An hour, longer than any measurement. */
const TTL_S = 3_600;
export const zoneOf = (servers: number): Zone =>
  Object.fromEntries(
    Array.from({ length: servers }, (_, number): [string, Zone[string]][] => [
      [domainOf(number), { MX: [[10, hostOf(number)]], ttl: TTL_S }],
      [hostOf(number), { A: [ipOf(number)], ttl: TTL_S }],
    ]).flat(),
  );

export async function measureEngine(isQuick: boolean): Promise<Part> {
  const dns = await startDnsServer(zoneOf(SERVERS));
  const servers: Server[] = [];
  const start = async (name: string, ...parameters: string[]) => {
    const server = await startServer(`${BUILT}/${name}.mjs`, parameters);
    servers.push(server);
    return server;
  };
  try {
    const mail = await start('mail-servers', String(SERVERS));
    const [, port = ''] = /^mail (\d+)$/m.exec(mail.said) ?? [];
    const engine = await start('engine-process', dns.address, port);
    const bare = await start('bare-process', port);
    const clients: Clients = { engine, bare, mail, next: 0 };
    const count = isQuick ? ADDRESSES / 10 : ADDRESSES;
    const figures = [await throughput(clients, count, isQuick), await memory(clients, count * 3)];
    return { title: 'The engine', figures: [...figures, questions(dns.questions, clients.next)] };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await dns.close();
  }
}

interface Clients {
  readonly engine: Server;
  readonly bare: Server;
  readonly mail: Server;
  /** The number of the next address. Each address is used once. */
  next: number;
}

interface Found {
  readonly perSecond: number[];
  readonly processor: number[];
  readonly conversations: number[];
  readonly parallel: number[];
}

/** Verifies so many new addresses. */
async function run(clients: Clients, client: Server, count: number) {
  const first = clients.next;
  clients.next += count;
  await countsOf(clients.mail);
  const before = await client.processor();
  const seconds = await startRun(client, first, count, AT_ONCE);
  const used = (await client.processor()) - before;
  const counts = await countsOf(clients.mail);
  if (counts.recipients !== count) {
    throw new Error(`Expected ${count} recipients, got ${counts.recipients}.`);
  }
  return { perSecond: count / seconds, processor: used / count, ...counts };
}

/** The values since the last call. */
async function countsOf({ origin }: Server): Promise<MailCounts> {
  return (await (await fetch(origin)).json()) as MailCounts;
}

async function throughput(clients: Clients, count: number, isQuick: boolean): Promise<Figure> {
  const { engine, bare } = clients;
  const found = new Map<Server, Found>(
    [engine, bare].map((server) => [
      server,
      { perSecond: [], processor: [], conversations: [], parallel: [] },
    ]),
  );
  // The first round only warms up.
  for (let turn = 0; turn <= (isQuick ? 1 : ROUNDS); turn += 1) {
    for (const client of inTurn([engine, bare], turn)) {
      const one = await run(clients, client, count);
      if (turn === 0) continue;
      const all = found.get(client)!;
      for (const name of ['perSecond', 'processor', 'conversations', 'parallel'] as const) {
        all[name].push(one[name]);
      }
    }
  }
  const shares = sharesOf(await engine.profile(() => run(clients, engine, count)));
  const own = found.get(engine)!;
  const base = found.get(bare)!;
  const ratio = withSpread(pairedRatio(own.perSecond, base.perSecond));
  const perSecond = spreadOf(own.perSecond);
  const row = (title: string, { processor, conversations, parallel, ...rest }: Found, isBase = false) => [
    title,
    withSpread(spreadOf(rest.perSecond)),
    isBase ? NONE : ratio,
    withSpread(spreadOf(processor), 'µs'),
    withSpread(spreadOf(conversations)),
    withSpread(spreadOf(parallel)),
  ];
  const profile = `A profile of the engine's process shows ${sayShares(shares, 8)}`;
  return {
    title: 'Addresses per second',
    how: `${count.toLocaleString('en')} new addresses at ${SERVERS} domains, ${AT_ONCE} at a time. Their mail servers run in a separate process and reply at once, without TLS. The engine runs in a separate process too. Its pacing in memory allows ${CONNECTIONS} connections and 1,000,000 conversations a minute for each organisation, and ${RECIPIENTS} recipients in a conversation. The bare loop uses sockets that send the same commands, as often and as many at a time, and does nothing else. Processor time is that of the client's process for each address.`,
    head: ['', 'addresses per second', '÷ bare', 'processor time', 'conversations', 'at the same time'],
    rows: [row('the engine', own), row('a bare loop of sockets', base, true)],
    targets: [
      {
        text: `at least ${TARGET_PER_SECOND} addresses per second on two cores`,
        found: withSpread(perSecond),
        isMet: perSecond.median >= TARGET_PER_SECOND,
        because: profile,
      },
    ],
    notes: [`${profile}.`],
  };
}

async function memory(clients: Clients, step: number): Promise<Figure> {
  const points: { addresses: number; heap: number; rss: number }[] = [];
  for (let count = 0; count <= WARM_UP_STEPS + MEMORY_STEPS; count += 1) {
    if (count) await run(clients, clients.engine, step);
    points.push({ addresses: (count - WARM_UP_STEPS) * step, ...(await clients.engine.memory()) });
  }
  const settled = points.slice(WARM_UP_STEPS);
  const perAddress = slope(settled.map(({ addresses, heap }) => [addresses, heap]));
  const shown = settled.filter((_, index) => index % 2 === 0);
  return {
    title: `Memory over ${(step * MEMORY_STEPS).toLocaleString('en')} addresses`,
    how: `The heap of the engine's process with its external memory, and its resident set, after garbage collection. Before, the engine has verified the addresses above and ${(step * WARM_UP_STEPS).toLocaleString('en')} others. No address comes twice. The growth is that of the heap by least squares.`,
    head: ['addresses', ...shown.map(({ addresses }) => addresses.toLocaleString('en'))],
    rows: [
      ['heap', ...shown.map(({ heap }) => `${round(heap / 2 ** 20)} MiB`)],
      ['resident set', ...shown.map(({ rss }) => `${round(rss / 2 ** 20)} MiB`)],
    ],
    targets: [
      {
        text: `flat: under ${FLAT_BYTES} bytes per address`,
        found: `${round(perAddress)} bytes per address`,
        isMet: perAddress < FLAT_BYTES,
        because: 'the process keeps something of each address',
      },
    ],
  };
}

function questions(
  asked: readonly { readonly name: string; readonly type: string }[],
  addresses: number,
): Figure {
  const keys = asked.map(({ name, type }) => `${name} ${type}`);
  const most = Math.max(...[...new Set(keys)].map((key) => keys.filter((other) => other === key).length));
  const types = [...new Set(asked.map(({ type }) => type))].sort();
  return {
    title: 'DNS queries',
    how: 'The queries to the name server in all rounds above, within the TTL of its answers, which is an hour.',
    head: ['', ...types, 'in all', 'most for one name and type'],
    rows: [
      [
        `${addresses.toLocaleString('en')} addresses at ${SERVERS} domains`,
        ...types.map((type) => String(asked.filter((question) => question.type === type).length)),
        String(asked.length),
        String(most),
      ],
    ],
    targets: [
      {
        text: 'each name at most once for each type within its TTL',
        found: String(most),
        isMet: most <= 1,
        because: 'an answer is not cached, or a query is not shared',
      },
    ],
  };
}

/** Measures how long others wait while the service reads a body that is made to take long. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES } from '../../src/service/core/bounds.ts';
import { startEmbedded } from '../../src/service/database/embedded/start-embedded.ts';
import { type HostileBody, worstBodies } from '../../test/service/support/hostile-bodies.ts';
import { type Figure, round } from '../report.ts';
import { type Server, startServer, type Turns } from './server.ts';
import { type BenchPerson, signedInForms } from './signed-in-forms.ts';

const TARGET_MS = 50;
const ROUNDS = 3;
/** As many as one process reads at once for one account, in the worst case. */
const AT_ONCE = 5;
const BATCH = '/v1/batch';
const MOST_SHOWN = 8;
/** As long as the head of a request may be, with room for the cookie. */
const LONG_QUERY = 'x=%2C&'.repeat(2_000);

/** The headers that say who sends a request. */
type Credential = Readonly<Record<string, string>>;

/** What was found for one body. */
interface Found extends Turns {
  readonly name: string;
  readonly waitMs: number;
}

export async function measureBystanders(isQuick: boolean): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-bystanders-'));
  const database = await startEmbedded(folder);
  let server: Server | undefined;
  try {
    const { host, user, password, database: name } = database.connection;
    const url = `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`;
    server = await startServer('test-results/bench/service/live-service.mjs', [url]);
    const [key] = /^test keys (\S+)/m.exec(server.said)!.slice(1) as [string];
    const routes = /^routes (.*)$/m.exec(server.said)![1]!.split(' ');
    const pages = /^pages (.*)$/m.exec(server.said)![1]!.split(' ');
    const person = /^person (\S+) (\S+) (\S+)$/m.exec(server.said)!.slice(1) as [string, string, string];
    return await compare(server, key, routes, pages, person, isQuick);
  } finally {
    await server?.stop();
    await database.stop();
    rmSync(folder, { recursive: true });
  }
}

async function compare(
  server: Server,
  key: string,
  routes: readonly string[],
  pages: readonly string[],
  person: BenchPerson,
  isQuick: boolean,
): Promise<Figure> {
  const measure = (
    url: string,
    bodies: readonly HostileBody[],
    atOnce = 1,
    credential: Credential = { authorization: `Bearer ${key}` },
  ) => worstOf(server, credential, url, bodies, isQuick ? 1 : ROUNDS, atOnce);
  const addresses: HostileBody = {
    name: '50,000 addresses',
    type: 'application/json',
    make: () => {
      const emails = Array.from({ length: 50_000 }, (_, index) =>
        `${index}@company.example`.padStart(160, 'x'),
      );
      return Buffer.from(JSON.stringify({ emails }));
    },
  };
  const large = worstBodies(MAX_BATCH_BODY_BYTES);
  const small = worstBodies(MAX_BODY_BYTES);
  const found: [string, Found][] = [];
  // The first requests compile the code.
  await measure(BATCH, [addresses, ...large.slice(0, 3)]);
  found.push([`POST ${BATCH}`, await measure(BATCH, [addresses, ...large])]);
  found.push([`POST ${BATCH}, ${AT_ONCE} at once`, await measure(BATCH, [addresses, ...large], AT_ONCE)]);
  for (const url of routes.filter((each) => each !== BATCH)) {
    found.push([`POST ${url}`, await measure(url, small)]);
  }
  const signedIn = await signedInForms(server.origin, person, pages);
  // Before the forms, some of which delete what the pages are about.
  for (const url of new Set([
    ...signedIn.pages,
    ...pages.filter((page) => !/^\/dashboard\/|[:*]/.test(page)),
  ])) {
    const path = `${url}?${LONG_QUERY}`;
    const ask = () => send(server, { path, agent: false, headers: { cookie: signedIn.cookie } });
    found.push([`GET ${url}`, { name: 'a long query', ...(await waitDuring(server, ask)) }]);
  }
  for (const { path, cookie, bodies } of signedIn.forms) {
    found.push([`the form ${path}, signed in`, await measure(path, bodies, 1, { cookie })]);
  }
  found.sort(([, one], [, other]) => other.waitMs - one.waitMs);
  const shown = found.slice(0, MOST_SHOWN);
  const [rest] = found.slice(MOST_SHOWN);
  if (rest) shown.push([`the other ${found.length - MOST_SHOWN}, at most`, rest[1]]);
  const [[slowest, { waitMs: longest }]] = found as [(typeof found)[number]];
  return {
    title: 'The wait of others while a hostile body is read',
    how: `Each route gets the ${small.length} worst bodies of the tests, as large as it allows. Each form of the dashboard that a signed-in person sends gets a long text in each of its fields, and each page a long query${signedIn.missed.length === 0 ? '' : ` (except ${signedIn.missed.join(', ')})`}. Meanwhile another client asks for /healthz, over and over, and its slowest response counts. The longest turn is that of the event loop of the service. Its processor time includes all threads, such as those of the garbage collector.`,
    head: ['', 'longest wait', 'longest turn', 'its processor time', 'the body'],
    rows: shown.map(([title, { waitMs, turn, processor, name }]) => [
      title,
      ...[waitMs, turn, processor].map((ms) => `${round(ms)} ms`),
      name,
    ]),
    targets: [
      {
        text: `at most ${TARGET_MS} ms`,
        found: `${round(longest)} ms`,
        isMet: longest <= TARGET_MS,
        because: `${slowest} takes that long`,
      },
    ],
  };
}

/** The body with the longest wait. Of several rounds, the one with the shortest counts: all others include chance. */
async function worstOf(
  server: Server,
  credential: Credential,
  url: string,
  bodies: readonly HostileBody[],
  rounds: number,
  atOnce: number,
): Promise<Found> {
  let worst: Found | undefined;
  for (const { name, type, make } of bodies) {
    const body = make();
    let best: Found | undefined;
    for (let count = 0; count < rounds; count += 1) {
      const found = {
        name,
        ...(await waitDuring(server, () => sendAll(server, credential, url, type, body, atOnce))),
      };
      if (!best || found.waitMs < best.waitMs) best = found;
    }
    if (!worst || best!.waitMs > worst.waitMs) worst = best;
  }
  return worst!;
}

async function waitDuring(server: Server, act: () => Promise<unknown>): Promise<Omit<Found, 'name'>> {
  let waitMs = 0;
  let isOver = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const watch = async () => {
    while (!isOver) {
      const began = performance.now();
      await send(server, { path: '/healthz', agent });
      waitMs = Math.max(waitMs, performance.now() - began);
      await pause(1);
    }
  };
  const turns = await server.turns(async () => {
    const watching = watch();
    await act().finally(() => {
      isOver = true;
    });
    await watching;
  });
  agent.destroy();
  return { waitMs, ...turns };
}

const sendAll = (
  server: Server,
  credential: Credential,
  path: string,
  type: string,
  body: Buffer,
  atOnce: number,
) =>
  Promise.all(
    Array.from({ length: atOnce }, () => {
      const headers = { 'content-type': type, 'content-length': body.length, ...credential };
      return send(server, { method: 'POST', path, headers, agent: false }, body);
    }),
  );

function send(
  server: Server,
  options: Parameters<typeof request>[1] & object,
  body?: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(server.origin, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    // A refused body may not be read to its end.
    sent.on('error', (error: NodeJS.ErrnoException) =>
      body && /EPIPE|ECONNRESET/.test(error.code ?? '') ? resolve(0) : reject(error),
    );
    sent.end(body);
  });
}

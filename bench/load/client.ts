/**
 * Sends the load, in a separate process. `POST /` takes a {@link Load}, and responds with the outcome of each request.
 * Connections are kept alive, and the services take turns.
 */
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, arrivals, REFUSED } from './answers.ts';
import { domainOf, ORGANISATIONS } from './organisations.ts';

export interface Load {
  readonly origins: readonly string[];
  /** Live keys of different accounts, used in turn. */
  readonly keys: readonly string[];
  /** The number of the first address. Loads never share addresses. */
  readonly first: number;
  /** Phases, one after the other: how many requests per second, for how many seconds, regardless of responses. */
  readonly stages?: readonly (readonly [perSecond: number, seconds: number])[];
  /** So many clients. Each waits for its response before it sends the next request. */
  readonly clients?: number;
  /** How long clients send requests. */
  readonly seconds?: number;
  /** After how many requests they stop. */
  readonly most?: number;
  /** The connections to each service that are open before the load begins, as from a reverse proxy. */
  readonly connections?: number;
}

/** Longer than any response of the service may take. */
const GIVE_UP_MS = 30_000;

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 100_000 });

function ask(origin: string, key: string, email: string): Promise<[status: number, costs: boolean]> {
  return new Promise((resolve) => {
    const request = get(
      `${origin}/v1/verify?email=${email}`,
      { agent, headers: { authorization: `Bearer ${key}` }, timeout: GIVE_UP_MS },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text) => {
          body += text;
        });
        response.on('end', () => {
          const status = response.statusCode!;
          resolve([status, status === 200 && JSON.parse(body).state !== 'unknown']);
        });
        response.on('error', () => resolve([0, false]));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve([0, false]));
  });
}

/** The pause that the header of the refusal asks for. */
const RETRY_AFTER_MS = 1_000;
const RECONNECT_MS = 50;

/** The number of connections that begin together. A process accepts one per turn of its event loop. */
const CONNECT_AT_ONCE = 50;

/** Sends as many requests at once as connections are needed. Each keeps its connection until all have one. */
async function connect(origin: string, count: number): Promise<void> {
  const held: (() => void)[] = [];
  for (let made = 0; made < count; made += CONNECT_AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(CONNECT_AT_ONCE, count - made) }, async () => {
        const request = get(`${origin}/healthz`, { agent });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        // The agent has the connection back once the response has been read.
        held.push(() => response.resume());
      }),
    );
  }
  for (const release of held) release();
}

async function run({ origins, keys, first, connections = 0, ...how }: Load): Promise<Answer[]> {
  for (const origin of origins) await connect(origin, connections);
  const answers: Answer[] = [];
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  let sent = 0;
  const send = async (dueMs: number) => {
    const number = sent;
    const lateMs = elapsed() - dueMs;
    sent += 1;
    const email = `user${first + number}@${domainOf(number % ORGANISATIONS.length)}`;
    const [status, costs] = await ask(origins[number % origins.length]!, keys[number % keys.length]!, email);
    answers.push([dueMs, elapsed() - dueMs, status, costs, lateMs]);
    return status;
  };
  if (how.stages) {
    const open: Promise<number>[] = [];
    for (const due of arrivals(how.stages, Math.random)) {
      const early = due - elapsed();
      if (early > 0) await pause(early);
      open.push(send(due));
    }
    await Promise.all(open);
  } else {
    const { seconds = 0, most = Number.POSITIVE_INFINITY } = how;
    const client = async () => {
      while (elapsed() < seconds * 1_000 && sent < most) {
        const status = await send(elapsed());
        if (REFUSED.includes(status)) await pause(RETRY_AFTER_MS);
        // Pauses after a refused connection. Otherwise this would loop without a pause while no process listens.
        else if (status === 0) await pause(RECONNECT_MS);
      }
    };
    await Promise.all(Array.from({ length: how.clients ?? 0 }, client));
  }
  return answers;
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  response.end(JSON.stringify(await run(JSON.parse(body))));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);

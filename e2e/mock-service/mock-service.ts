/**
 * A scripted verification service: says what the test wants, when the test wants, and keeps a record of what it
 * was asked. It serves the built widget as well. Knows nothing of pages and browsers.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { widgetFile } from '../widget-files.ts';
import { deliverable, type Reply } from './replies.ts';

/** One question that reached the service. */
export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  /** The parameters of the query, then those of a form-encoded body. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string>>;
  readonly rawBody: string;
  readonly headers: IncomingMessage['headers'];
  readonly origin: string | undefined;
  readonly email: string;
  /** When it arrived, in ms of this process. */
  readonly at: number;
  /** The browser gave it up before it had its answer. */
  aborted: boolean;
  answered: boolean;
}

interface Held {
  readonly email: string;
  readonly go: () => void;
}

const NEXT_REQUEST_LIMIT_MS = 5_000;

/** A result has some 400 bytes: at this pace its last one is not sent within any test. */
const DRIP_MS = 50;

export class MockService {
  /** Every `/v1/verify` question in the order of arrival; preflights are apart. */
  readonly requests: AskedRequest[] = [];
  readonly preflights: { path: string; headers: IncomingMessage['headers'] }[] = [];

  readonly #server: Server;
  readonly #script = new Map<string, Reply[]>();
  readonly #arrivals: (() => void)[] = [];
  #taken = 0;
  #holding: 'none' | 'all' | Set<string> = 'none';
  #held: Held[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.handle(request, response));
  }

  static async start(): Promise<MockService> {
    const service = new MockService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  /** `http://127.0.0.1:<port>`: another origin than the pages', and another site than those on `localhost`. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * Says how an address is answered: with each reply in turn, and with the last one from then on. `'*'` stands
   * for every address that nothing else is said of; without it that is a deliverable result.
   */
  answer(email: string, ...replies: [Reply, ...Reply[]]): void {
    this.#script.set(email, [...replies]);
  }

  /** From now on questions (for these addresses, or any) are recorded and wait for `release()`. */
  hold(...emails: string[]): void {
    this.#holding = emails.length === 0 ? 'all' : new Set(emails);
  }

  /** Lets go what waits: one address, or everything (then nothing is held any longer). */
  release(email?: string): void {
    if (email === undefined) this.#holding = 'none';
    const released = this.#held.filter((held) => email === undefined || held.email === email);
    if (released.length === 0)
      throw new Error(`Expected a held request${email ? ` for ${email}` : ''}, found none.`);
    this.#held = this.#held.filter((held) => !released.includes(held));
    for (const held of released) held.go();
  }

  /** The next question that no earlier call has returned; waits until it is there. */
  async nextRequest(): Promise<AskedRequest> {
    const index = this.#taken++;
    const deadline = setTimeout(() => this.#wake(), NEXT_REQUEST_LIMIT_MS);
    const end = performance.now() + NEXT_REQUEST_LIMIT_MS - 1;
    while (this.requests.length <= index) {
      if (performance.now() >= end) {
        const seen = this.requests.map((request) => request.email).join(', ') || 'none';
        throw new Error(
          `Expected request ${index + 1} within ${NEXT_REQUEST_LIMIT_MS} ms. Requests so far: ${seen}.`,
        );
      }
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
    clearTimeout(deadline);
    return this.requests[index]!;
  }

  /** The addresses asked for, in order. */
  get asked(): string[] {
    return this.requests.map((request) => request.email);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Answers one HTTP request; the page server passes on what it wants answered at its own origin. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://service');
    if (request.method === 'OPTIONS') {
      this.preflights.push({ path: url.pathname, headers: request.headers });
      response.writeHead(204, { ...cors(request), 'access-control-allow-headers': '*' }).end();
    } else if (url.pathname.endsWith('/v1/verify')) {
      await this.#verify(request, response, url);
    } else if (url.pathname === '/barrier') {
      // Closed, lest the next question go over this connection: a browser repeats one that breaks on a used one.
      response.writeHead(204, { ...cors(request), connection: 'close' }).end();
    } else {
      const file = widgetFile(url.pathname);
      if (!file) {
        response.writeHead(404, cors(request)).end();
        return;
      }
      response
        .writeHead(200, { 'content-type': file.type, 'access-control-allow-origin': '*' })
        .end(file.body);
    }
  }

  async #verify(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const rawBody = await readBody(request);
    const query = Object.fromEntries(url.searchParams);
    const body = Object.fromEntries(new URLSearchParams(rawBody));
    const email = query.email ?? body.email ?? '';
    const asked: AskedRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query,
      body,
      rawBody,
      headers: request.headers,
      origin: request.headers.origin,
      email,
      at: performance.now(),
      aborted: false,
      answered: false,
    };
    this.requests.push(asked);
    response.on('close', () => {
      asked.aborted = !asked.answered;
    });
    this.#wake();

    if (this.#holding === 'all' || (this.#holding instanceof Set && this.#holding.has(email))) {
      await new Promise<void>((go) => this.#held.push({ email, go }));
    }
    const reply = this.#replyTo(email);
    if (reply.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
    asked.answered = !/^(stalled|dripping|hang)$/.test(reply.ending);
    send(request, response, reply, email);
  }

  #replyTo(email: string): Reply {
    const replies = this.#script.get(email) ?? this.#script.get('*') ?? [deliverable()];
    return replies.length > 1 ? replies.shift()! : replies[0]!;
  }

  #wake(): void {
    for (const arrived of this.#arrivals.splice(0)) arrived();
  }
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply, email: string): void {
  if (reply.ending === 'hang') return;
  if (reply.ending === 'drop') {
    request.socket.destroy();
    return;
  }
  if (reply.ending === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const body = Buffer.from(typeof reply.body === 'string' ? reply.body : reply.body(email));
  const isEmpty = reply.status === 204 || reply.status === 304;
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.cors ? cors(request) : {}),
    ...(isEmpty || 'transfer-encoding' in reply.headers ? {} : { 'content-length': body.length }),
    'cache-control': 'no-store',
    // A browser silently repeats a request whose kept-alive connection breaks: each gets a connection of its own.
    connection: 'close',
  });
  if (reply.ending === 'whole') {
    response.end(isEmpty ? undefined : body);
    return;
  }
  if (reply.ending === 'dripping') {
    let sent = 0;
    const drip = setInterval(() => response.write(body.subarray(sent, ++sent)), DRIP_MS);
    response.on('close', () => clearInterval(drip));
    return;
  }
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    if (reply.ending === 'truncated') request.socket.destroy();
  });
}

function cors(request: IncomingMessage): Record<string, string> {
  return { 'access-control-allow-origin': request.headers.origin ?? '*', vary: 'origin' };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += chunk;
  return body;
}

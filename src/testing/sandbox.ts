/** The sandbox: a server on a port of its own that answers `/v1/verify` as a test says. It needs `node:http` only. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Answers } from './answers.ts';
import type { Reply } from './replies.ts';
import {
  type AskedRequest,
  bodyOf,
  createScript,
  DRIP_MS,
  isAnswered,
  isBodiless,
  parametersIn,
  type Script,
} from './script.ts';

/** One `OPTIONS` request that reached the sandbox. */
export interface Preflight {
  /** Of its address, without the query. */
  readonly path: string;
  /** By names in lower case. */
  readonly headers: AskedRequest['headers'];
}

/** What `startSandbox()` takes. */
export interface SandboxOptions {
  /** How addresses are answered, by address. @default sample results, as for a test key */
  readonly answers?: Answers | undefined;
  /** The port to listen on. @default 0 (any that is free) */
  readonly port?: number | undefined;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
}

export interface Sandbox extends Script {
  /** `http://127.0.0.1:<port>`: what a page's `baseUrl` is, and whose `/v2/` is the widget's script. */
  readonly origin: string;
  /** The same, as an address with a slash at its end. */
  readonly url: string;
  /** What browsers have asked before they ask: an `OPTIONS` request each. The widget causes none. */
  readonly preflights: readonly Preflight[];
  /** Answers one HTTP request, for a server of the test's own that passes some on. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Breaks every connection off and gives the port back. May be called again. */
  stop(): Promise<void>;
  /** For `await using sandbox = await startSandbox()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

// Node has had this name since 18.18, older TypeScript targets may not.
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose');

/**
 * Starts a verification service for a test, on a free port of this machine.
 *
 * @example
 * const service = await startSandbox({ answers: { 'a@b.example': 'undeliverable' } });
 * install({ apiKey: 'test_public_key', baseUrl: service.origin });
 * …
 * await service.stop();
 *
 * @throws {TypeError} for an answer that is none; the platform's error for a port that is taken
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const script = createScript(options.answers);
  const preflights: Preflight[] = [];
  const server: Server = createServer((request, response) => void handle(request, response));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(`http://service${request.url}`);
    if (request.method === 'OPTIONS') {
      preflights.push({ path: url.pathname, headers: request.headers });
      response.writeHead(204, { ...cors(request), 'access-control-allow-headers': '*' }).end();
    } else if (url.pathname.endsWith('/v1/verify')) {
      await verify(request, response, url);
    } else {
      serveFile(url.pathname, request, response);
    }
  }

  async function verify(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const rawBody = await readBody(request);
    if (rawBody === undefined) return;
    const { asked, reply } = script.take({
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: parametersIn(rawBody, request.headers['content-type']),
      rawBody,
      headers: request.headers,
      origin: request.headers.origin,
    });
    response.on('close', () => {
      asked.aborted = !asked.answered;
    });
    const said = await reply;
    asked.answered = isAnswered(said);
    send(request, response, said, asked.email);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const { port, address, family } = server.address() as AddressInfo;
  const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

  async function stop(): Promise<void> {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  const { take: _, ...said } = Object.getOwnPropertyDescriptors(script);
  return Object.defineProperties(
    {},
    {
      ...said,
      ...Object.getOwnPropertyDescriptors({
        origin,
        url: `${origin}/`,
        preflights,
        handle,
        stop,
        [asyncDispose]: stop,
      }),
    },
  ) as Sandbox;
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
  const body = Buffer.from(bodyOf(reply, email));
  const isEmpty = isBodiless(reply.status);
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

/** The build's folder: this module's parent in the package, elsewhere in the sources. */
const DIST = ['../', '../../dist/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(`${folder}widget.js`));

/** What the service serves below `/v2/`, and below the address of each release. */
const FILE =
  /^(?:(?:widget|index)\.js(?:\.map)?|email-verify-widget-debug\.js|debug\.mjs|integrity\.json|(?:locales|captcha)\/[a-z0-9-]+\.m?js)$/;

function serveFile(path: string, request: IncomingMessage, response: ServerResponse): void {
  const file = fileAt(path);
  if (file === undefined) {
    response.writeHead(404, cors(request)).end();
    return;
  }
  const type = file.endsWith('js') ? 'text/javascript' : 'application/json';
  response
    .writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'access-control-allow-origin': '*' })
    .end(readFileSync(file));
}

/** @returns the path of the built file, or `undefined` where the service would have none either */
function fileAt(path: string): string | undefined {
  const [, folder, name] = /^\/v([\d.]+)(?:\/(.*))?$/.exec(path) ?? [];
  if (DIST === undefined || (folder !== '2' && folder !== builtVersion())) return undefined;
  const file = name || 'widget.js';
  return FILE.test(file) && existsSync(DIST + file) ? DIST + file : undefined;
}

/** @returns the version that the build is, such as `2.0.0` */
function builtVersion(): string | undefined {
  const file = `${DIST}integrity.json`;
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    : undefined;
}

function cors(request: IncomingMessage): Record<string, string> {
  return { 'access-control-allow-origin': request.headers.origin ?? '*', vary: 'origin' };
}

/** @returns `undefined` when the client breaks off before the body is complete */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  let body = '';
  request.setEncoding('utf8');
  try {
    for await (const chunk of request) body += chunk;
  } catch {
    return undefined;
  }
  return body;
}

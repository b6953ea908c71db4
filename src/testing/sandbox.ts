/** The sandbox: a server that answers `/v1/verify` as a test tells it. It uses only modules of Node. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { JWKS_PATH } from '../protocol/proof.ts';
import type { Answers } from './answers.ts';
import { EXPOSED, JWKS, proofHeader } from './proof.ts';
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

/** One `OPTIONS` request to the sandbox. */
export interface Preflight {
  /** The path of its URL, without the query. */
  readonly path: string;
  /** Its headers, by names in lower case. */
  readonly headers: AskedRequest['headers'];
}

/** Options of `startSandbox()`. */
export interface SandboxOptions {
  /** Answers by address. @default sample results, as for a test key */
  readonly answers?: Answers | undefined;
  /** The port to listen on. @default 0 (any free port) */
  readonly port?: number | undefined;
  /** The IP address to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
}

/** A running verification service for a test. */
export interface Sandbox extends Script {
  /** `http://127.0.0.1:<port>`, for the widget's option `baseUrl`. The widget's script is at its `/v2/`. */
  readonly origin: string;
  /** The origin with a slash at its end. */
  readonly url: string;
  /** The preflights of browsers: `OPTIONS` requests before the real ones. The widget causes none. */
  readonly preflights: readonly Preflight[];
  /** Answers one HTTP request. A test's own server can pass requests on to it. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Closes all connections and the port. Further calls do nothing. */
  stop(): Promise<void>;
  /** For `await using sandbox = await startSandbox()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

// Node has this symbol since 18.18. Older TypeScript targets may not have it.
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose');

/**
 * Starts a verification service for a test, on a free port of this machine.
 *
 * @returns the running service. Call `stop()` after the test
 *
 * @example
 * const service = await startSandbox({ answers: { 'a@b.example': 'undeliverable' } });
 * install({ apiKey: 'test_public_key', baseUrl: service.origin });
 * …
 * await service.stop();
 *
 * @throws {TypeError} for an invalid answer, and Node's error if the port is in use
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { script, take } = createScript(options.answers);
  const preflights: Preflight[] = [];
  const server: Server = createServer((request, response) => void handle(request, response));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(`http://service${request.url}`);
    if (request.method === 'OPTIONS') {
      preflights.push({ path: url.pathname, headers: request.headers });
      response.writeHead(204, { ...cors(request), 'access-control-allow-headers': '*' }).end();
    } else if (url.pathname.endsWith('/v1/verify')) {
      await verify(request, response, url);
    } else if (url.pathname.endsWith(JWKS_PATH)) {
      response
        .writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
        .end(JWKS);
    } else {
      serveFile(url.pathname, request, response);
    }
  }

  async function verify(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const rawBody = await readBody(request);
    if (rawBody === undefined) return;
    const { asked, reply } = take({
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
    // A server of the test may pass requests on, so the service is where the page has found it.
    const issuer = `http://${request.headers.host}${url.pathname.replace(/\/v1\/verify$/, '')}`;
    const proof = await proofHeader(said, asked, issuer);
    send(request, response, { ...said, headers: { ...proof, ...said.headers } }, asked.email);
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

  return Object.assign(script, { origin, url: `${origin}/`, preflights, handle, stop, [asyncDispose]: stop });
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply, email: string): void {
  if (reply.ending === 'hang') return;
  if (reply.ending === 'drop') return void request.socket.destroy();
  if (reply.ending === 'reset') return void request.socket.resetAndDestroy();
  const body = Buffer.from(bodyOf(reply, email));
  const isEmpty = isBodiless(reply.status);
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.cors ? cors(request) : {}),
    ...(isEmpty || 'transfer-encoding' in reply.headers ? {} : { 'content-length': body.length }),
    'cache-control': 'no-store',
    // Browsers silently repeat a request if a kept-alive connection breaks. So each request gets its own connection.
    connection: 'close',
  });
  if (reply.ending === 'whole') return void response.end(isEmpty ? undefined : body);
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

/** The build's folder: in the package the parent of this module, in the sources `dist/`. */
const DIST = ['../', '../../dist/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(`${folder}widget.js`));

/** The files that the service serves below `/v2/`, and below the URL of each release. */
const FILE =
  /^(?:(?:widget|widget-standalone|index|email-verify-widget-status)\.js(?:\.map)?|email-verify-widget-debug\.js|debug\.mjs|integrity\.json|(?:locales|captcha)\/[a-z0-9-]+\.m?js)$/;

function serveFile(path: string, request: IncomingMessage, response: ServerResponse): void {
  const file = fileAt(path);
  if (file === undefined) return void response.writeHead(404, cors(request)).end();
  const type = file.endsWith('js') ? 'text/javascript' : 'application/json';
  response
    .writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'access-control-allow-origin': '*',
      // As for responses: a later request would use the connection again, and be repeated when it breaks.
      connection: 'close',
    })
    .end(readFileSync(file));
}

/** @returns the path of the built file, or `undefined` if the service has no file there either */
function fileAt(path: string): string | undefined {
  const [, folder, name] = /^\/v([\d.]+)(?:\/(.*))?$/.exec(path) ?? [];
  if (DIST === undefined || (folder !== '2' && folder !== builtVersion())) return undefined;
  const file = name || 'widget.js';
  return FILE.test(file) && existsSync(DIST + file) ? DIST + file : undefined;
}

/** @returns the version of the build, such as `2.0.0` */
function builtVersion(): string | undefined {
  const file = `${DIST}integrity.json`;
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    : undefined;
}

function cors(request: IncomingMessage): Record<string, string> {
  return { 'access-control-allow-origin': request.headers.origin ?? '*', vary: 'origin', ...EXPOSED };
}

/** @returns the body, or `undefined` if the client closes the connection before its end */
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

/**
 * The pages that embed the widget, on their own origin. Each test passes the HTML as a string, and reads the submitted
 * forms. Does not know the widget.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MockService } from '../mock-service/mock-service.ts';

/** One form submission that reached the site. */
export interface Submission {
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface Served {
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Names of this machine for pages. Each is a different origin. */
export type Host = 'localhost' | '127.0.0.1' | `${string}.test`;

/** The response to a submission. */
export interface Thanks {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The folders in which the packages of libraries are. */
const LIBRARIES = [join(ROOT, 'e2e/libraries'), ROOT];
/** The script of a library, from its package. */
const LIBRARY = /^\/node_modules\/[\w@./-]+\.(js|css)$/;

/** As long as any other wait of a test. On a busy machine, a submission may take its time, and no test waits for this. */
const NEXT_SUBMISSION_LIMIT_MS = 120_000;

export class Site {
  /** Every submission, in the order of arrival. */
  readonly submissions: Submission[] = [];
  thanks: Thanks = {
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Thanks</title><p>Thanks</p>',
  };
  readonly #server: Server;
  readonly #served = new Map<string, Served>();
  readonly #arrivals: (() => void)[] = [];
  readonly #service: MockService | undefined;

  private constructor(service: MockService | undefined) {
    this.#service = service;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  /** @param service if given, the site passes `/v1/…` and `/v2/…` to it, like a site that hosts both */
  static async start(service?: MockService): Promise<Site> {
    const site = new Site(service);
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  origin(host: Host = 'localhost'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves a whole HTML document. @returns its path */
  html(document: string, headers: Readonly<Record<string, string>> = {}): string {
    return this.#serve('page', { type: 'text/html; charset=utf-8', body: document, headers });
  }

  /** Serves a script, for pages whose policy forbids inline ones. @returns its path */
  script(source: string, type = 'text/javascript; charset=utf-8'): string {
    return this.#serve('script', { type, body: source, headers: {} });
  }

  /** Waits until so many submissions have arrived in total. @returns the last of them */
  async submission(count = 1): Promise<Submission> {
    let isOver = false;
    const limit = setTimeout(() => {
      isOver = true;
      this.#wake();
    }, NEXT_SUBMISSION_LIMIT_MS);
    while (this.submissions.length < count) {
      if (isOver) {
        throw new Error(`Expected ${count} submission(s), got ${this.submissions.length}.`);
      }
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
    clearTimeout(limit);
    return this.submissions[count - 1]!;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #wake(): void {
    for (const arrived of this.#arrivals.splice(0)) arrived();
  }

  #serve(kind: string, served: Served): string {
    const path = `/${kind}-${this.#served.size + 1}`;
    this.#served.set(path, served);
    return path;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://site');
    if (url.pathname.startsWith('/submit')) {
      await this.#submitted(request, response, url);
    } else if (/^\/(v1|v2)\//.test(url.pathname) && this.#service) {
      await this.#service.handle(request, response);
    } else if (LIBRARY.test(url.pathname)) {
      const type = url.pathname.endsWith('.css') ? 'text/css' : 'text/javascript';
      const file = LIBRARIES.map((folder) => join(folder, url.pathname)).find(existsSync);
      if (!file) throw new Error(`Expected ${url.pathname}, got none. Run "node .ci/tools/install.mjs".`);
      response.writeHead(200, { 'content-type': type }).end(await readFile(file));
    } else if (/^\/(barrier|favicon\.ico)$/.test(url.pathname)) {
      response.writeHead(204).end();
    } else {
      const served = this.#served.get(url.pathname);
      if (served)
        response.writeHead(200, { ...served.headers, 'content-type': served.type }).end(served.body);
      else response.writeHead(404).end();
    }
  }

  /** A form's target: any path that begins with `/submit`. */
  async #submitted(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const fields = Object.fromEntries([...url.searchParams, ...(await fieldsOf(request, chunks))]);
    this.submissions.push({ method: request.method ?? '', path: url.pathname, fields });
    this.#wake();
    response.writeHead(this.thanks.status, this.thanks.headers).end(this.thanks.body);
  }
}

/** The fields of a body, in any encoding that pages use to post forms. */
async function fieldsOf(request: IncomingMessage, chunks: Buffer[]): Promise<[string, string][]> {
  const body = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return Object.entries(JSON.parse(body.toString()));
  if (!type.startsWith('multipart/')) return [...new URLSearchParams(body.toString())];
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  return [...form].map(([name, value]) => [name, String(value)]);
}

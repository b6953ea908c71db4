/**
 * One server for the pages of the candidates and for each candidate's service. All services respond with the same number
 * of bytes after the same time, each in its own format. Everything uses TLS, as on the web.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net';
import { certificate } from '../../src/service/demo/certificate.ts';
import { exampleResult } from '../../src/testing/replies.ts';
import { CANDIDATES, type Candidate } from './candidates/index.ts';

/** The size of every response. */
const ANSWER_BYTES = 900;

export interface Asked {
  /** The candidate's name. */
  readonly by: string;
  readonly address: string;
}

export interface Site {
  /** The flags with which a browser finds the server under its names. */
  readonly hostRules: string;
  /** All requests, without preflights. */
  readonly asked: Asked[];
  /** The time until a service responds. */
  answerMs: number;
  /** The delay before a service's TLS handshake. */
  handshakeMs: number;
  urlOf(candidate: Candidate, inputs: number, withScript?: boolean): string;
  /** Closes all connections to the services, used or not. */
  disconnect(): void;
  close(): Promise<void>;
}

export async function openSite(): Promise<Site> {
  const { key, cert } = certificate();
  const pages = createServer({ key, cert, keepAliveTimeout: 60_000 }, sendPage);
  const services = createServer({ key, cert, keepAliveTimeout: 60_000 }, answer);
  const connections = new Set<Socket>();
  // A proxy before the services, which can delay a handshake as on a long connection.
  const entrance = createListener({ noDelay: true, pauseOnConnect: true }, (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
    const enter = () => services.emit('connection', socket);
    if (site.handshakeMs) setTimeout(enter, site.handshakeMs);
    else enter();
  });
  const port = (server: typeof entrance | typeof pages) => (server.address() as AddressInfo).port;
  await Promise.all(
    [pages, entrance].map((server) => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))),
  );

  const site: Site = {
    hostRules: [
      `MAP *.shop.test 127.0.0.1:${port(pages)}`,
      ...['api.test', '*.verifalia.com'].map((host) => `MAP ${host} 127.0.0.1:${port(entrance)}`),
      'MAP * ~NOTFOUND',
      'EXCLUDE 127.0.0.1',
    ].join(', '),
    asked: [],
    answerMs: 50,
    handshakeMs: 0,
    urlOf: ({ name }, inputs, withScript = true) =>
      `https://${name}.shop.test/?inputs=${inputs}&script=${withScript ? randomUUID() : ''}`,
    disconnect() {
      for (const socket of connections) socket.destroy();
    },
    async close() {
      site.disconnect();
      pages.closeAllConnections();
      await Promise.all([pages, entrance].map((server) => new Promise((done) => server.close(done))));
    },
  };

  function sendPage(request: IncomingMessage, response: ServerResponse) {
    const name = request.headers.host?.split('.')[0];
    const candidate = Object.values(CANDIDATES).find((each) => each.name === name);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://shop.test');
    // Without caching. Otherwise the second run would find the script compiled.
    response.setHeader('Cache-Control', 'no-store');
    // An isolated page has a clock with steps of 5 µs. Other pages have steps of 100 µs.
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (candidate && pathname === '/') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(page(candidate, Number(searchParams.get('inputs')), searchParams.get('script') ?? ''));
    } else if (candidate && pathname === '/script.js') {
      response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
      response.end(candidate.script);
    } else if (candidate?.later?.[pathname]) {
      response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
      response.end(candidate.later[pathname]);
    } else {
      response.writeHead(404).end();
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { origin = '' } = request.headers;
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.method === 'OPTIONS') {
      response.setHeader(
        'Access-Control-Allow-Headers',
        'authorization, content-type, accept, x-requested-with',
      );
      response.writeHead(204).end();
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const { searchParams } = new URL(request.url ?? '/', 'https://api.test');
    const address =
      searchParams.get('email') ??
      searchParams.get('value') ??
      (JSON.parse(body || '{}') as { entries?: { inputData: string }[] }).entries?.[0]?.inputData ??
      '';
    const by = new URL(origin).hostname.split('.')[0]!;
    site.asked.push({ by, address });
    const text = JSON.stringify(by === 'verifalia-widget' ? validationJob(address) : result(address));
    setTimeout(() => {
      response.setHeader('Content-Type', 'application/json');
      response.end(text.padEnd(ANSWER_BYTES));
    }, site.answerMs);
  }
  return site;
}

function page(
  { setup, attributes = '', around = ['', ''] }: Candidate,
  inputs: number,
  script: string,
): string {
  const [before, after] = around;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,">
    <style>body { font: 16px/1.5 sans-serif } label { display: block }</style>
    ${setup ? `<script>${setup}</script>` : ''}
    ${script ? `<script defer src="/script.js?${script}" ${attributes}></script>` : ''}
    <form onsubmit="return false">
    ${Array.from({ length: inputs }, (_, index) => `<label>Email ${before}<input type="email" name="email-${index}">${after}</label>`).join('\n')}
    <button>Send</button></form><p>Text below the form.</p><div id="more"></div>`;
}

/** Addresses that begin with "no" are rejected. */
const isGood = (address: string) => !address.startsWith('no');

const result = (address: string) =>
  exampleResult(
    address,
    isGood(address) ? {} : { reason: 'rejected_email', score: 0, state: 'undeliverable' },
  );

function validationJob(address: string) {
  return {
    overview: { id: randomUUID(), status: 'Completed', noOfEntries: 1 },
    entries: {
      meta: { isTruncated: false },
      data: [
        {
          index: 0,
          inputData: address,
          classification: isGood(address) ? 'Deliverable' : 'Undeliverable',
          status: isGood(address) ? 'Success' : 'MailboxDoesNotExist',
          emailAddress: address,
          isFreeEmailAddress: false,
          isDisposableEmailAddress: false,
          isRoleAccount: false,
        },
      ],
    },
  };
}

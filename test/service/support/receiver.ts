/** A receiver of callbacks on loopback. The test sets its response. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { vi } from 'vitest';
import { listenOnLoopback } from '../../loopback.ts';
import { CALLBACK_SECRET } from './account.ts';
import { PATIENTLY } from './patience.ts';

export interface ReceivedCallback {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Respond = (response: ServerResponse, count: number) => void;

export interface Receiver {
  readonly url: string;
  readonly received: ReceivedCallback[];
  /** The number of open connections. */
  connections(): Promise<number>;
  /** Waits for so many callbacks in all. */
  until(count: number): Promise<void>;
}

/** Responds with this status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(code, headers).end();

export const silence: Respond = () => {};

/** Ends with the test. Fails if a callback has a wrong signature. */
export async function startReceiver(
  respond: Respond = status(200),
  tls?: { key: string; cert: string },
): Promise<Receiver> {
  const received: ReceivedCallback[] = [];
  const listener: RequestListener = async (request, response) => {
    const body = await text(request);
    const { method, url: path, headers } = request;
    new Webhook(CALLBACK_SECRET).verify(body, headers as Record<string, string>);
    received.push({ method, path, headers, body });
    respond(response, received.length);
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  const port = await listenOnLoopback(server);
  return {
    url: `http${tls ? 's' : ''}://127.0.0.1:${port}/hook?token=secret`,
    received,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    until: async (count) => {
      await vi.waitUntil(() => received.length >= count, PATIENTLY);
    },
  };
}

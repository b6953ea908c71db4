/** The servers of others: billing, which pays once for each `webhook-id`, and a receiver of callbacks. Both fail at times. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Numbers from 0 to 1. */
export type Random = () => number;

export interface Receiver {
  readonly url: string;
  close(): void;
}

export interface BillingServer extends Receiver {
  /** What was paid, by `webhook-id`. */
  readonly paid: ReadonlyMap<string, { readonly account: string; readonly credits: number }>;
}

/** Longer than the service waits for an answer. */
const TOO_LATE_MS = 16_000;

export async function startBilling(random: Random): Promise<BillingServer> {
  const paid = new Map<string, { account: string; credits: number }>();
  const refused = new Set<string>();
  const receiver = await listen(async (body, response, id) => {
    if (!paid.has(id) && !refused.has(id)) {
      const what = random();
      if (what < 0.1) return void response.writeHead(500).end();
      if (what < 0.15) return void response.writeHead(200).end('nonsense');
      if (what < 0.2) refused.add(id);
      else {
        const { account, needed } = JSON.parse(body) as { account: string; needed: number };
        paid.set(id, { account, credits: needed + Math.floor(random() * 20) });
      }
    }
    const how = random();
    if (how < 0.1) return void response.destroy();
    await pause(how < 0.13 ? TOO_LATE_MS : random() * 400);
    if (refused.has(id)) response.writeHead(402).end(JSON.stringify({ message: 'The card was refused.' }));
    else response.end(JSON.stringify({ credits: paid.get(id)!.credits }));
  });
  return { ...receiver, paid };
}

export const startCallbackReceiver = (random: Random): Promise<Receiver> =>
  listen(async (_, response) => {
    await pause(random() * 300);
    const how = random();
    if (how < 0.05) response.destroy();
    else response.writeHead(how < 0.15 ? 500 : 200).end();
  });

async function listen(
  answer: (body: string, response: ServerResponse, id: string) => Promise<void>,
): Promise<Receiver> {
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    request.on('error', () => {});
    response.on('error', () => {});
    try {
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      await answer(body, response, String(request.headers['webhook-id']));
    } catch {
      response.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

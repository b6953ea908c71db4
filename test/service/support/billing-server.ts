/** A billing service on loopback that charges once for each `webhook-id`. The test decides when and what it answers. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { onTestFinished, vi } from 'vitest';
import { listenOnLoopback } from '../../loopback.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { PATIENTLY } from './patience.ts';

export const BILLING_SECRET = `whsec_${Buffer.from('a secret of the operator').toString('base64')}`;

export interface BillingRequest {
  /** Its `webhook-id`. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { account: string; owner_email: string; needed: number; available: number };
}

/** Answers one request. `charge` takes the money, the first time that it gets this id. */
export type BillingAnswer = (response: ServerResponse, charge: () => number) => void | Promise<void>;

export interface BillingServer {
  readonly url: string;
  readonly requests: BillingRequest[];
  /** The credits that were paid for, by `webhook-id`. */
  readonly charged: ReadonlyMap<string, number>;
  /** How it answers from now on. @default `pays` */
  answer: BillingAnswer;
  /** Waits for so many requests in all. */
  until(count: number): Promise<void>;
  stop(): void;
}

/** Charges and returns the credits. A repeated id gets the same answer. */
export const pays: BillingAnswer = (response, charge) => json(response, 200, { credits: charge() });
/** Charges, and its answer is lost. */
export const paysSilently: BillingAnswer = (_response, charge) => void charge();
export const says =
  (status: number, body: unknown): BillingAnswer =>
  (response) =>
    json(response, status, body);

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Waits with each answer until the test calls `let go`. */
export function holds(then: BillingAnswer): { readonly answer: BillingAnswer; letGo(): void } {
  const { promise: free, resolve: letGo } = withResolvers();
  return {
    letGo: () => letGo(),
    async answer(response, charge) {
      await free;
      await then(response, charge);
    },
  };
}

/** Ends with the test, or when `stop` is called. @param credits how many each payment brings */
export async function startBillingServer(credits = 10, atEnd = onTestFinished): Promise<BillingServer> {
  const requests: BillingRequest[] = [];
  const charged = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { headers } = request;
    new Webhook(BILLING_SECRET).verify(body, headers as Record<string, string>);
    const id = String(headers['webhook-id']);
    requests.push({ id, headers, body: JSON.parse(body) });
    await billing.answer(response, () => {
      if (!charged.has(id)) charged.set(id, credits);
      return charged.get(id)!;
    });
  });
  const billing: BillingServer = {
    url: `http://127.0.0.1:${await listenOnLoopback(server, atEnd)}/billing`,
    ...{ requests, charged, answer: pays },
    until: async (count) => {
      await vi.waitUntil(() => requests.length >= count, PATIENTLY);
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  return billing;
}

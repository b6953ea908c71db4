/** Requests credits from the operator's billing service when an account does not have enough. */
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describeError, type Log } from '../../core/log.ts';
import { webhookHeaders } from '../../core/webhook.ts';
import type { Db } from '../../database/schema.ts';
import { changeCredits, findOwner } from '../credit-store.ts';

const MOST_MS = 15_000;
const MOST_BYTES = 64 * 1024;
const MOST_CHARACTERS = 500;

export interface BillingOptions {
  readonly db: Db;
  /** The operator's http or https URL. It may be on a private network. */
  readonly url: string;
  /** `whsec_` and Base64. It signs the requests as Standard Webhooks does. */
  readonly secret: string;
  readonly log: Log;
  /** How long to wait for a response. */
  readonly timeoutMs?: number;
}

/** A request that needs more credits. */
export interface MissingCredits {
  readonly accountId: string;
  /** The credits of the whole request. */
  readonly needed: number;
  readonly available: number;
}

export type BillingReply =
  /** Enough credits were added. */
  | { readonly kind: 'credited' }
  /** The message of the 402. */
  | { readonly kind: 'refused'; readonly message: string };

export interface Billing {
  /**
   * Parallel requests of one account with equal needs share one billing request, so that the owner pays once. After
   * `credited`, try again. If other requests were faster, ask again.
   */
  ask(missing: MissingCredits): Promise<BillingReply>;
}

/** Each process has one. */
export function createBilling(options: BillingOptions): Billing {
  const webhook = new Webhook(options.secret);
  const asking = new Map<string, Promise<BillingReply>>();
  return {
    async ask(missing) {
      const name = `${missing.accountId} ${missing.needed}`;
      const reply =
        asking.get(name) ?? askBilling(options, webhook, missing).finally(() => asking.delete(name));
      asking.set(name, reply);
      return await reply;
    },
  };
}

async function askBilling(
  options: BillingOptions,
  webhook: Webhook,
  missing: MissingCredits,
): Promise<BillingReply> {
  const { db, log } = options;
  const { accountId, needed, available } = missing;
  const id = `msg_${randomUUID()}`;
  const owner_email = await findOwner(db, accountId);
  const body = JSON.stringify({ account: accountId, owner_email, needed, available });
  let reply: Reply;
  try {
    reply = readReply(await post(options, webhook, id, body));
  } catch (error) {
    log('warn', 'billing failed', describeError(error));
    reply = {};
  }
  if (reply.message !== undefined) return { kind: 'refused', message: reply.message };
  const balance = reply.credits && (await addCredits(db, log, accountId, reply.credits, id));
  if (balance && balance >= needed) return { kind: 'credited' };
  const start = `Expected ${needed} ${needed === 1 ? 'credit' : 'credits'}, got`;
  if (balance) return { kind: 'refused', message: `${start} ${balance}. Add credits to the account.` };
  const message = `${start} ${available}. The billing service could not be reached. Try again later.`;
  return { kind: 'refused', message };
}

interface Reply {
  readonly credits?: number;
  readonly message?: string;
}

/** Sends the request and reads the start of the response. Redirects are not followed. */
async function post(
  { url, timeoutMs = MOST_MS }: BillingOptions,
  webhook: Webhook,
  id: string,
  body: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: webhookHeaders([webhook], id, new Date(), body),
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MOST_BYTES) throw new RangeError(`Expected at most ${MOST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return { status: response.status, text: Buffer.concat(chunks).toString('utf8') };
}

/** Empty if the response is neither credits nor a refusal. */
function readReply({ status, text }: { status: number; text: string }): Reply {
  if (status !== 200 && status !== 402) return {};
  const { credits, message } = Object(JSON.parse(text)) as { credits?: unknown; message?: unknown };
  if (status === 402)
    return typeof message === 'string' && message !== ''
      ? { message: message.slice(0, MOST_CHARACTERS) }
      : {};
  return Number.isSafeInteger(credits) && (credits as number) > 0 ? { credits: credits as number } : {};
}

/**
 * Adds the credits. The owner has already paid, so a short loss of the database must not lose them.
 *
 * @returns the account's credits, or undefined if they could not be added
 */
async function addCredits(
  db: Db,
  log: Log,
  accountId: string,
  amount: number,
  id: string,
): Promise<number | undefined> {
  for (let tries = 1; tries <= 3; tries += 1) {
    try {
      return (await changeCredits(db, accountId, { amount, why: 'billing', of: id }))?.balance;
    } catch (error) {
      log('error', 'credits of billing not added', describeError(error));
    }
  }
  return undefined;
}

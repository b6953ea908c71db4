/** One request to the operator's billing service, and what its response means. */
import { Webhook } from 'standardwebhooks';
import { describeError } from '../../core/log.ts';
import { webhookHeaders } from '../../core/webhook-signature.ts';
import { messageIdOf, type PaymentTry } from './payment-store.ts';

const MOST_MS = 15_000;
const MOST_BYTES = 64 * 1024;
const MOST_CHARACTERS = 500;

export interface BillingPlace {
  /** The operator's http or https URL. It may be on a private network. */
  readonly url: string;
  /** `whsec_` and Base64. It signs the requests as Standard Webhooks does. */
  readonly secret: string;
  /** How long to wait for a response. */
  readonly timeoutMs?: number | undefined;
}

type Details = Readonly<Record<string, string | number | boolean>>;

/** `why` is for the log. It has no text of the response. */
export type BillingAnswer =
  | { readonly kind: 'credits'; readonly credits: number }
  /** `message` is for the person who pays. */
  | { readonly kind: 'refused'; readonly message?: string; readonly why: Details }
  /** A 200 without credits. */
  | { readonly kind: 'malformed'; readonly why: Details }
  /** Nothing that ends the payment. */
  | { readonly kind: 'no answer'; readonly why: Details };

/** @returns sends a try. It never rejects */
export function createAsk({ url, secret, timeoutMs = MOST_MS }: BillingPlace, signal: AbortSignal) {
  const webhook = new Webhook(secret);
  return async (payment: Omit<PaymentTry, 'tries'>): Promise<BillingAnswer> => {
    const { id, account, owner_email, needed, available } = payment;
    const body = JSON.stringify({ account, owner_email, needed, available });
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: webhookHeaders([webhook], messageIdOf(id), new Date(), body),
        body,
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
      });
      return readAnswer(response.status, await readStart(response));
    } catch (error) {
      return { kind: 'no answer', why: describeError(error) };
    }
  };
}

/** @returns undefined if the body is too large */
async function readStart(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** PostgreSQL takes no NUL. */
const storable = (message: string) => message.replaceAll('\0', '').slice(0, MOST_CHARACTERS);

/** Refusals that may pass: the request took too long, or there were too many. */
const PASSING = [408, 429];

function readAnswer(status: number, text: string | undefined): BillingAnswer {
  const why = { status };
  const { credits, message } = Object(parse(text)) as { credits?: unknown; message?: unknown };
  if (status === 200)
    return Number.isSafeInteger(credits) && (credits as number) > 0
      ? { kind: 'credits', credits: credits as number }
      : { kind: 'malformed', why };
  if (status === 402 && typeof message === 'string' && message.replaceAll('\0', '').trim() !== '')
    return { kind: 'refused', message: storable(message), why };
  const isRefusal = status >= 400 && status < 500 && !PASSING.includes(status);
  return { kind: isRefusal ? 'refused' : 'no answer', why };
}

function parse(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

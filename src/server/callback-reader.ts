/** Reads what the service sends to a server: callbacks of batches and notices, signed as Standard Webhooks. */

import { jsonIn } from '../protocol/json.ts';
import { type Bytes, fromBase64, isText, no, type Refused } from './encoding.ts';
import { refuse } from './options.ts';

/** The settings of {@link createCallbackReader}. */
export interface CallbackReaderOptions {
  /** The `callback_secret` of the account, such as `whsec_…`, or several of which one is right. */
  secret: string | readonly string[];
  /** How many seconds the time of a callback may differ from that of your server. @default 300 */
  tolerance?: number | undefined;
  /** The time in milliseconds, for tests. @default Date.now */
  now?: (() => number) | undefined;
}

/** A request as your server has received it. */
export interface ReceivedCallback {
  /** Its headers: those of `Request`, or an object of names and values as in Node. */
  headers: Headers | Readonly<Record<string, unknown>>;
  /** Its body as it came, as text or bytes. A body that was parsed cannot be verified. */
  body: string | Uint8Array | ArrayBuffer;
}

/**
 * Why a callback is refused.
 *
 * - `absent`: a header of the signature is missing
 * - `malformed`: a header or the body cannot be read
 * - `signature`: someone else has signed it, or changed it
 * - `expired`: it is too old, or the clock of your server is wrong
 */
export type CallbackRefusal = 'absent' | 'malformed' | 'signature' | 'expired';

/** A callback that the service has sent, or why it is not one. */
export type Callback<Content = unknown> =
  | {
      /** Says that the service has sent it. */
      readonly ok: true;
      /** Its body, parsed. */
      readonly content: Content;
      /** There is none. */
      readonly reason?: undefined;
    }
  | Refused<CallbackRefusal>;

/** What {@link createCallbackReader} makes. */
export interface CallbackReader {
  /**
   * Verifies a callback, and parses its body. It never rejects.
   *
   * @typeParam Content what the body has. It is not checked: the signature says that the service has sent it
   */
  read<Content = unknown>(received: ReceivedCallback): Promise<Callback<Content>>;
}

/** While a secret is rolled, there are two. More cost time, and are not the service's. */
const MOST_SIGNATURES = 10;

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Makes a reader of callbacks.
 *
 * @throws TypeError for an option that cannot be
 */
export function createCallbackReader({
  secret,
  tolerance = 300,
  now = Date.now,
}: CallbackReaderOptions): CallbackReader {
  const secrets = [secret].flat().map(readSecret);
  if (!(Number.isFinite(tolerance) && tolerance >= 0)) refuse('tolerance', 'seconds', tolerance);

  async function isSigned(content: ArrayBuffer, signatures: readonly Bytes[]): Promise<boolean> {
    for (const bytes of secrets) {
      const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
      // WebCrypto compares in constant time.
      for (const each of signatures) if (await crypto.subtle.verify(HMAC, key, each, content)) return true;
    }
    return false;
  }

  return {
    async read<Content>({ headers, body }: ReceivedCallback): Promise<Callback<Content>> {
      const id = headerOf(headers, 'webhook-id');
      const sentAt = headerOf(headers, 'webhook-timestamp');
      const signed = headerOf(headers, 'webhook-signature');
      if (!id || !sentAt || !signed) return no('absent');
      const signatures = signed.split(' ', MOST_SIGNATURES).flatMap(readSignature);
      if (!isBody(body) || signatures.length === 0) return no('malformed');
      const content = await new Blob([`${id}.${sentAt}.`, body as ArrayBuffer]).arrayBuffer();
      if (!(await isSigned(content, signatures))) return no('signature');
      // A time that is not a number is not within it.
      if (!(Math.abs(now() / 1000 - Number(sentAt)) <= tolerance)) return no('expired');
      const parsed = jsonIn(await new Blob([body as ArrayBuffer]).text());
      return parsed === undefined ? no('malformed') : { ok: true, content: parsed as Content };
    },
  };
}

function readSecret(secret: unknown): Bytes {
  const bytes = isText(secret) && fromBase64(secret.replace(/^whsec_/, ''));
  // The message does not repeat it.
  return (bytes && bytes.length > 0 && bytes) || refuse('secret', 'whsec_ and base64', typeof secret);
}

function headerOf(headers: unknown, name: string): string | undefined {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers ?? {});
  const value: unknown = [entries.find(([each]) => each.toLowerCase() === name)?.[1]].flat()[0];
  return isText(value) ? value : undefined;
}

/** Anything else would be signed as its text, such as `[object Object]`. */
const isBody = (body: unknown): boolean =>
  typeof body === 'string' || ArrayBuffer.isView(body) || body instanceof ArrayBuffer;

/** Other versions than `v1` are not ours to read. */
function readSignature(text: string): Bytes[] {
  const bytes = text.startsWith('v1,') && fromBase64(text.slice('v1,'.length));
  return bytes && bytes.length > 0 ? [bytes] : [];
}

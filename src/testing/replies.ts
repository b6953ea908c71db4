/** The replies of a scripted service, also those that a real service never sends. Knows no HTTP. */
import type { VerificationResult } from '../protocol/result.ts';
import type { Given } from '../widget/options.ts';
import { given } from './given.ts';

/** How a response ends: see `Reply.ending`. */
export type Ending = 'whole' | 'truncated' | 'stalled' | 'dripping' | 'hang' | 'drop' | 'reset';

/** A complete response with all headers. Most tests need only a name or a few fields: see `Answer`. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, without those for CORS, which `cors` adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or a function that makes it from the requested address. */
  readonly body: string | ((email: string) => string);
  /** Whether pages of other origins may read the response. */
  readonly cors: boolean;
  /** How long the response is delayed, in milliseconds. */
  readonly delayMs: number;
  /**
   * How the response ends:
   *
   * - `whole`: normally.
   * - `truncated`: the connection closes in the middle of the body.
   * - `stalled`: half of the body arrives, then nothing more.
   * - `dripping`: the body arrives byte by byte, and never ends.
   * - `hang`: no byte arrives, and the connection stays open.
   * - `drop`: the connection closes before the first byte.
   * - `reset`: the connection is reset before the first byte.
   */
  readonly ending: Ending;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** 200 without a body, at once. The base of all other replies. */
export const WHOLE: Reply = {
  status: 200,
  headers: JSON_TYPE,
  body: '',
  cors: true,
  delayMs: 0,
  ending: 'whole',
};

/** The documented result of an ordinary address, changed by the fields of a test. */
export function exampleResult(email: string, fields: Given<VerificationResult> = {}): VerificationResult {
  const at = email.lastIndexOf('@');
  const [user = '', tag] = email.slice(0, at).split('+');
  return {
    accept_all: false,
    did_you_mean: null,
    disposable: false,
    domain: email.slice(at + 1),
    duration: 0.25,
    email,
    first_name: null,
    free: false,
    full_name: null,
    gender: null,
    last_name: null,
    mailbox_full: false,
    mx_record: 'mx.example.com',
    no_reply: false,
    reason: 'accepted_email',
    role: false,
    score: 95,
    smtp_provider: null,
    state: 'deliverable',
    tag: tag ?? null,
    user,
    ...given(fields),
  };
}

/** 200 with a documented result. */
export function result(fields: Given<VerificationResult> = {}): Reply {
  return { ...WHOLE, body: (email) => JSON.stringify(exampleResult(email, fields)) };
}

/** 200 with a deliverable result. */
export const deliverable = (fields: Given<VerificationResult> = {}): Reply => result(fields);

/** 200 with an undeliverable result. */
export const undeliverable = (fields: Given<VerificationResult> = {}): Reply =>
  result({ state: 'undeliverable', reason: 'rejected_email', score: 0, ...given(fields) });

/** Any status, with the body `{ message }` or without a body. */
export function status(code: number, message?: string): Reply {
  return { ...WHOLE, status: code, body: message === undefined ? '' : JSON.stringify({ message }) };
}

/** 249: the service needs longer, and the client should repeat the request. */
export const tryAgain = (
  message = 'Your request is taking longer than normal. Please send your request again.',
) => status(249, message);

/** 429: the key or the visitor has reached a limit. */
export const rateLimited = (message = 'Rate Limit Exceeded'): Reply => status(429, message);

/** 200 with any text as its body. */
export function text(body: string, contentType = JSON_TYPE['content-type']): Reply {
  return { ...WHOLE, headers: { 'content-type': contentType }, body };
}

/** A valid result. The connection closes in the middle of its body. */
export const truncated = (): Reply => ({ ...result(), ending: 'truncated' });

/** A valid result. Half of its body arrives, then nothing more. */
export const stalled = (): Reply => ({ ...result(), ending: 'stalled' });

/** A valid result that arrives byte by byte, without an end. */
export const dripping = (): Reply => ({ ...result(), ending: 'dripping' });

/** No byte arrives, and the connection stays open. */
export const hang = (): Reply => ({ ...WHOLE, ending: 'hang' });

/** The connection closes before the first byte. */
export const drop = (): Reply => ({ ...WHOLE, ending: 'drop' });

/** The connection is reset before the first byte. */
export const reset = (): Reply => ({ ...WHOLE, ending: 'reset' });

/** Redirects the request to another URL. */
export function redirect(code: number, location: string): Reply {
  return { ...WHOLE, status: code, headers: { location } };
}

/** The same reply with more headers. */
export function withHeaders(reply: Reply, headers: Reply['headers']): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The same reply without CORS headers, so that pages of other origins cannot read it. */
export const withoutCors = (reply: Reply): Reply => ({ ...reply, cors: false });

/** The same reply, delayed by so many milliseconds. `hold()` and `release()` are more precise. */
export const later = (delayMs: number, reply: Reply): Reply => ({ ...reply, delayMs });

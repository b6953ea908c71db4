/** What a scripted service can say: what a decent one says, and everything that one never does. Knows no HTTP. */
import type { VerificationResult } from '../interface/result.ts';
import type { Given } from '../widget/options.ts';
import { given } from './given.ts';

/** How an answer ends. */
export type Ending = 'whole' | 'truncated' | 'stalled' | 'dripping' | 'hang' | 'drop' | 'reset';

/** A whole answer, to the last header. Most tests need no more than a name or a few fields: see `Answer`. */
export interface Reply {
  /** HTTP's. */
  readonly status: number;
  /** Those that a page needs of another origin come with `cors`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or how it is made of the address that was asked for. */
  readonly body: string | ((email: string) => string);
  /** Whether a page of another origin may read the answer. */
  readonly cors: boolean;
  /** How much later than it could be, in milliseconds. */
  readonly delayMs: number;
  /**
   * `whole`; `truncated` (the connection breaks in mid-body); `stalled` (half the body, then nothing more);
   * `dripping` (one byte now and then, for ever); `hang` (nothing ever); `drop` (the connection is closed before
   * the first byte); `reset` (it is torn down instead).
   */
  readonly ending: Ending;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** 200 without a body, at once: what every other reply is made of. */
export const WHOLE: Reply = {
  status: 200,
  headers: JSON_TYPE,
  body: '',
  cors: true,
  delayMs: 0,
  ending: 'whole',
};

/** The documented result of an ordinary address, with the fields that matter to a test on top. */
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

/** Any status with a `{ message }` of the service's, or without a body. */
export function status(code: number, message?: string): Reply {
  return { ...WHOLE, status: code, body: message === undefined ? '' : JSON.stringify({ message }) };
}

/** 249: the service needs longer and wants to be asked again. */
export const tryAgain = (
  message = 'Your request is taking longer than normal. Please send your request again.',
) => status(249, message);

/** 429: more was asked than the key or the visitor has. */
export const rateLimited = (message = 'Rate Limit Exceeded'): Reply => status(429, message);

/** 200 with any text as its body. */
export function text(body: string, contentType = JSON_TYPE['content-type']): Reply {
  return { ...WHOLE, headers: { 'content-type': contentType }, body };
}

/** A good result of which only half arrives before the connection breaks. */
export const truncated = (): Reply => ({ ...result(), ending: 'truncated' });

/** A good result of which half arrives, and then nothing more. */
export const stalled = (): Reply => ({ ...result(), ending: 'stalled' });

/** A good result, byte by byte, of which the last never comes. */
export const dripping = (): Reply => ({ ...result(), ending: 'dripping' });

/** Never a byte. */
export const hang = (): Reply => ({ ...WHOLE, ending: 'hang' });

/** The connection is closed before the first byte. */
export const drop = (): Reply => ({ ...WHOLE, ending: 'drop' });

/** The connection is torn down before the first byte. */
export const reset = (): Reply => ({ ...WHOLE, ending: 'reset' });

/** Sends the asker on to another address, for the answer. */
export const redirect = (code: number, location: string): Reply => ({
  ...WHOLE,
  status: code,
  headers: { location },
});

/** The same answer with these headers too. */
export const withHeaders = (reply: Reply, headers: Reply['headers']): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});

/** The same answer without the header that lets a page of another origin read it. */
export const withoutCors = (reply: Reply): Reply => ({ ...reply, cors: false });

/** The same answer so many milliseconds later. Where a test can, `hold()` and `release()` say it better. */
export const later = (delayMs: number, reply: Reply): Reply => ({ ...reply, delayMs });

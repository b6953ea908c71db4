/** The short forms of an answer: a name, a status, or some fields of a result. Knows no HTTP. */
import type { VerificationResult } from '../protocol/result.ts';
import type { Given } from '../widget/options.ts';
import { given } from './given.ts';
import * as replies from './replies.ts';
import { exampleResult, type Reply, result, status, WHOLE } from './replies.ts';

/** The answers by name. */
export const NAMED = {
  deliverable: () => result(),
  undeliverable: () => replies.undeliverable(),
  risky: () => result({ state: 'risky', reason: 'low_quality', score: 40 }),
  unknown: () => result({ state: 'unknown', reason: 'timeout', score: 50, mx_record: '' }),
  disposable: () => result({ disposable: true }),
  free: () => result({ free: true }),
  role: () => result({ role: true }),
  acceptAll: () => result({ state: 'risky', reason: 'low_deliverability', score: 40, accept_all: true }),
  noReply: () => result({ no_reply: true, role: true }),
  mailboxFull: () => result({ state: 'risky', reason: 'low_deliverability', score: 20, mailbox_full: true }),
  /** Always 249. `['slow', 'deliverable']` sends one 249, then a result. */
  slow: () => replies.tryAgain(),
  badRequest: () => status(400, 'Bad Request'),
  unauthorized: () => status(401, 'API key is required'),
  forbidden: () => status(403, 'Forbidden'),
  rateLimited: () => replies.rateLimited(),
  serverError: () => status(500, 'Internal Server Error'),
  unavailable: () => status(503, 'Service Unavailable'),
  /** 200 with an HTML page, as captive portals send. */
  nonsense: () => replies.text('<!doctype html><title>Welcome</title>', 'text/html'),
  /** A valid result without CORS headers, which pages of other origins cannot read. */
  noCors: () => replies.withoutCors(result()),
  hang: replies.hang,
  drop: replies.drop,
  reset: replies.reset,
  truncated: replies.truncated,
  stalled: replies.stalled,
  dripping: replies.dripping,
} as const satisfies Record<string, () => Reply>;

/**
 * The names of answers: see the table in `docs/testing.md`.
 *
 * @useDeclaredType
 */
export type AnswerName = keyof typeof NAMED;

/** Any part of a `Reply`. The body may also be an object, which is sent as JSON. */
export interface GivenReply extends Given<Omit<Reply, 'body'>> {
  /** A text, an object that is sent as JSON, or a function that makes the text from the requested address. */
  readonly body?: Reply['body'] | object | undefined;
}

/**
 * The answer for an address: a name (`'undeliverable'`), a status (`503`), fields that change a deliverable result
 * (`{ did_you_mean: 'joe@gmail.com' }`), or a reply (`{ status: 503, delayMs: 200 }`).
 */
export type Answer = AnswerName | number | Given<VerificationResult> | GivenReply;

/** One answer, or several in turn. The last one then repeats. */
export type AnswerSequence = Answer | readonly [Answer, ...Answer[]];

/**
 * Answers by address. `'*@shop.example'` matches every address of a domain, `'*'` matches all. The more specific one
 * applies.
 */
export type Answers = Readonly<Record<string, AnswerSequence>>;

const REPLY_FIELDS = Object.keys(WHOLE);
const RESULT_FIELDS = Object.keys(exampleResult('a@b.example'));

/** @throws {TypeError} for an invalid answer. The message says what is expected */
export function replyFor(answer: Answer): Reply {
  if (typeof answer === 'number' && answer >= 200 && answer <= 599) return status(answer, `Status ${answer}`);
  if (typeof answer === 'string' && Object.hasOwn(NAMED, answer)) return NAMED[answer]();
  if (typeof answer === 'object' && answer !== null) {
    const fields = Object.keys(answer);
    if (fields.every((field) => RESULT_FIELDS.includes(field)))
      return result(matching(answer as Given<VerificationResult>));
    if (fields.every((field) => REPLY_FIELDS.includes(field))) return wholeReply(answer as GivenReply);
    const unknown = fields.filter((field) => ![...RESULT_FIELDS, ...REPLY_FIELDS].includes(field));
    throw new TypeError(
      `Expected fields of a result (${RESULT_FIELDS.join(', ')}) or of a reply (${REPLY_FIELDS.join(', ')}), got ${(unknown.length ? unknown : fields).join(', ')}.`,
    );
  }
  throw new TypeError(
    `Expected a status or one of ${Object.keys(NAMED).join(', ')}, got ${JSON.stringify(answer)}.`,
  );
}

/** @returns the replies of a sequence, at least one */
export function repliesFor(answers: AnswerSequence): Reply[] {
  const all = (Array.isArray(answers) ? answers : [answers]) as Answer[];
  if (all.length === 0) throw new TypeError('Expected an answer, got an empty list.');
  return all.map(replyFor);
}

const REASON_OF_STATE = {
  deliverable: { reason: 'accepted_email', score: 95 },
  undeliverable: { reason: 'rejected_email', score: 0 },
  risky: { reason: 'low_quality', score: 40 },
  unknown: { reason: 'timeout', score: 50 },
} as const;

/** Adds the reason and the score of a given state, unless they are given too. */
function matching(fields: Given<VerificationResult>): Given<VerificationResult> {
  return fields.state ? { ...REASON_OF_STATE[fields.state], ...given(fields) } : fields;
}

function wholeReply({ body, ...rest }: GivenReply): Reply {
  const isDocumented = body === undefined && (rest.status ?? 200) === 200;
  const base = isDocumented ? result() : status(rest.status ?? 200, `Status ${rest.status}`);
  const whole = { ...base, ...given(rest) };
  if (body === undefined) return whole;
  return { ...whole, body: typeof body === 'object' ? JSON.stringify(body) : body };
}

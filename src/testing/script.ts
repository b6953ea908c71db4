/**
 * What a scripted service says to whom, what it was asked, and what it keeps waiting. The same for the sandbox and
 * for MSW: knows neither servers nor pages.
 */
import { addressKey } from '../widget/check/address.ts';
import { type AnswerSequence, type Answers, repliesFor } from './answers.ts';
import type { Reply } from './replies.ts';
import { sampleReply } from './sample/sample-reply.ts';

/** One question that reached the service. */
export interface AskedRequest {
  /** `GET` or `POST`. */
  readonly method: string;
  /** Of its address, without the query. */
  readonly path: string;
  /** The parameters of the query. */
  readonly query: Readonly<Record<string, string>>;
  /** Those of a form-encoded or JSON body. */
  readonly body: Readonly<Record<string, string>>;
  /** The body as it came; empty where there was none. */
  readonly rawBody: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The page's, as its browser says it. */
  readonly origin: string | undefined;
  /** The address asked for. */
  readonly email: string;
  /** When it arrived, in ms of this process (`performance.now()`). */
  readonly at: number;
  /** The asker gave it up before it had its answer. */
  aborted: boolean;
  /** It has been answered whole. */
  answered: boolean;
}

/** What a test says to a scripted service, and hears of it. */
export interface Script {
  /** Every `/v1/verify` question in the order of arrival; preflights are not among them. */
  readonly requests: readonly AskedRequest[];
  /** The addresses asked for, in that order. */
  readonly asked: readonly string[];
  /**
   * Says from now on how an address is answered: with each answer in turn, and with the last one from then on.
   * `'*@shop.example'` stands for a domain's addresses, `'*'` for all that nothing else is said of.
   *
   * @throws {TypeError} for what is no answer; the message names what is
   */
  answer(email: string, ...answers: [AnswerSequence, ...AnswerSequence[]]): void;
  /** From now on questions (for these addresses, or any) are recorded and wait for `release()`. */
  hold(...emails: string[]): void;
  /**
   * Lets go what waits: one address, or everything (then nothing is held any longer).
   *
   * @throws when nothing waits
   */
  release(email?: string): void;
  /**
   * Returns the first request that no other call has returned, and waits for it. Calls that wait at the same time each
   * get their own, in order. A call that times out takes none: the next call gets the request.
   *
   * @param limitMs how long it waits, in milliseconds. @default 5000
   * @throws when no request arrives in that time
   */
  nextRequest(limitMs?: number): Promise<AskedRequest>;
}

/** The script, and what its server does with it. */
export interface ServedScript extends Script {
  /** Records a question, and waits for as long as it is held and its answer delayed. */
  take(question: Omit<AskedRequest, 'email' | 'at' | 'aborted' | 'answered'>): {
    readonly asked: AskedRequest;
    readonly reply: Promise<Reply>;
  };
}

const NEXT_REQUEST_LIMIT_MS = 5_000;

interface Held {
  readonly email: string;
  readonly go: () => void;
}

/** @throws {TypeError} for an answer that is none */
export function createScript(answers: Answers = {}): ServedScript {
  const requests: AskedRequest[] = [];
  const script = new Map<string, Reply[]>();
  /** Calls of `nextRequest` that wait: while there are any, every request has been returned. */
  const waiting: ((asked: AskedRequest) => void)[] = [];
  let taken = 0;
  let holding: 'none' | 'all' | Set<string> = 'none';
  let held: Held[] = [];

  const keyOf = addressKey;
  const seen = () => requests.map(({ email }) => email).join(', ') || 'none';

  function answer(email: string, ...given: [AnswerSequence, ...AnswerSequence[]]): void {
    script.set(keyOf(email), given.flatMap(repliesFor));
  }
  for (const [email, sequence] of Object.entries(answers)) answer(email, sequence);

  function scripted(email: string): Reply | undefined {
    const domain = email.slice(email.lastIndexOf('@'));
    const replies = script.get(keyOf(email)) ?? script.get(keyOf(`*${domain}`)) ?? script.get('*');
    return replies && (replies.length > 1 ? replies.shift() : replies[0]);
  }

  async function replyTo({ email, query, body, headers }: AskedRequest): Promise<Reply> {
    const reply = scripted(email) ?? (await sampleReply(email, { ...query, ...body }, headers.authorization));
    if (reply.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
    return reply;
  }

  return {
    requests,
    get asked() {
      return requests.map(({ email }) => email);
    },
    answer,
    hold(...emails) {
      holding = emails.length === 0 ? 'all' : new Set(emails.map(keyOf));
    },
    release(email) {
      if (email === undefined) holding = 'none';
      const released = held.filter((one) => email === undefined || one.email === keyOf(email));
      if (released.length === 0)
        throw new Error(`Expected a held request${email ? ` for ${email}` : ''}, found none.`);
      held = held.filter((one) => !released.includes(one));
      for (const one of released) one.go();
    },
    async nextRequest(limitMs = NEXT_REQUEST_LIMIT_MS) {
      const arrived = requests[taken];
      if (arrived) {
        taken += 1;
        return arrived;
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const place = waiting.indexOf(take);
          waiting.splice(place, 1);
          const number = requests.length + place + 1;
          reject(new Error(`Expected request ${number} within ${limitMs} ms. Requests so far: ${seen()}.`));
        }, limitMs);
        const take = (asked: AskedRequest) => {
          clearTimeout(timer);
          taken += 1;
          resolve(asked);
        };
        waiting.push(take);
      });
    },
    take(question) {
      const email = question.query.email ?? question.body.email ?? '';
      const asked = { ...question, email, at: performance.now(), aborted: false, answered: false };
      requests.push(asked);
      waiting.shift()?.(asked);
      const isHeld = holding === 'all' || (holding !== 'none' && holding.has(keyOf(email)));
      const go = isHeld
        ? new Promise<void>((resolve) => held.push({ email: keyOf(email), go: resolve }))
        : Promise.resolve();
      return { asked, reply: go.then(() => replyTo(asked)) };
    },
  };
}

/** The parameters of a body, form-encoded or JSON. */
export function parametersIn(rawBody: string, contentType = ''): Record<string, string> {
  if (!contentType.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(rawBody));
  try {
    const entries = Object.entries(JSON.parse(rawBody) as object);
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

/** The text of a reply's body, for this address. */
export const bodyOf = ({ body }: Reply, email: string): string =>
  typeof body === 'string' ? body : body(email);

/** Whether a status has no body at all (RFC 9110). */
export const isBodiless = (code: number): boolean => code === 204 || code === 304;

/** Whether the asker ever gets the whole answer. */
export const isAnswered = ({ ending }: Reply): boolean => !/^(stalled|dripping|hang)$/.test(ending);

/** How often a dripping answer gives a byte: a result has some 400, its last is not sent within any test. */
export const DRIP_MS = 50;

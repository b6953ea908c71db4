/**
 * The script of a service: its answers by address, the requests that it got, and those that it holds. The sandbox and
 * MSW share it. Knows no servers or pages.
 */
import { addressKey } from '../widget/check/address.ts';
import { type AnswerSequence, type Answers, repliesFor } from './answers.ts';
import type { Reply } from './replies.ts';
import { sampleReply } from './sample/sample-reply.ts';

/** One request for `/v1/verify` that reached the service. */
export interface AskedRequest {
  /** `GET` or `POST`. */
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The parameters of the query. */
  readonly query: Readonly<Record<string, string>>;
  /** The parameters of a form-encoded or JSON body. */
  readonly body: Readonly<Record<string, string>>;
  /** The body as text, or an empty text. */
  readonly rawBody: string;
  /** The headers, by names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The header `Origin`: the origin of the page. */
  readonly origin: string | undefined;
  /** The address to verify. */
  readonly email: string;
  /** When the request arrived, in milliseconds of this process (`performance.now()`). */
  readonly at: number;
  /** Whether the client aborted the request before the response. */
  aborted: boolean;
  /** Whether the response was sent completely. */
  answered: boolean;
}

/** Controls a scripted service, and shows the requests that it got. */
export interface Script {
  /** All requests for `/v1/verify` in the order of arrival, without preflights. */
  readonly requests: readonly AskedRequest[];
  /** The addresses of these requests, in the same order. */
  readonly asked: readonly string[];
  /**
   * Sets the answers for an address. The service sends them in turn, and then repeats the last one.
   *
   * @param email an address, `'*@shop.example'` for all addresses of a domain, or `'*'` for all other addresses
   * @throws {TypeError} for an invalid answer. The message says what is expected
   */
  answer(email: string, ...answers: [AnswerSequence, ...AnswerSequence[]]): void;
  /** Holds all later requests, or only those for these addresses. They wait for `release()`. */
  hold(...emails: string[]): void;
  /**
   * Answers the held requests for one address. Without an address, answers all of them and stops holding.
   *
   * @throws if no request is held
   */
  release(email?: string): void;
  /**
   * Returns the first request that no other call has returned, and waits for it. Calls that wait at the same time each
   * get their own request, in order. A call that times out takes no request.
   *
   * @param limitMs the longest wait, in milliseconds. @default 5000
   * @throws if no request arrives in that time
   */
  nextRequest(limitMs?: number): Promise<AskedRequest>;
}

const NEXT_REQUEST_LIMIT_MS = 5_000;

/**
 * @returns the script, and the function that its server calls
 * @throws {TypeError} for an invalid answer
 */
export function createScript(answers: Answers = {}) {
  const requests: AskedRequest[] = [];
  const replies = new Map<string, Reply[]>();
  /** Waiting calls of `nextRequest`. While there are any, every request has been returned. */
  const waiting: ((asked: AskedRequest) => void)[] = [];
  let taken = 0;
  let holding: 'none' | 'all' | Set<string> = 'none';
  let held: { readonly email: string; readonly go: () => void }[] = [];

  const keyOf = addressKey;
  const seen = () => requests.map(({ email }) => email).join(', ') || 'none';

  function answer(email: string, ...given: [AnswerSequence, ...AnswerSequence[]]): void {
    replies.set(keyOf(email), given.flatMap(repliesFor));
  }
  for (const [email, sequence] of Object.entries(answers)) answer(email, sequence);

  function scripted(email: string): Reply | undefined {
    const domain = email.slice(email.lastIndexOf('@'));
    const given = replies.get(keyOf(email)) ?? replies.get(keyOf(`*${domain}`)) ?? replies.get('*');
    return given && (given.length > 1 ? given.shift() : given[0]);
  }

  async function replyTo({ email, query, body, headers }: AskedRequest): Promise<Reply> {
    const reply = scripted(email) ?? (await sampleReply(email, { ...query, ...body }, headers.authorization));
    if (reply.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
    return reply;
  }

  const script: Script = {
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
          const place = waiting.indexOf(receive);
          waiting.splice(place, 1);
          const number = requests.length + place + 1;
          reject(new Error(`Expected request ${number} within ${limitMs} ms. Requests so far: ${seen()}.`));
        }, limitMs);
        const receive = (asked: AskedRequest) => {
          clearTimeout(timer);
          taken += 1;
          resolve(asked);
        };
        waiting.push(receive);
      });
    },
  };

  /** Records a request. Its reply waits until the request is released and the delay is over. */
  function take(question: Omit<AskedRequest, 'email' | 'at' | 'aborted' | 'answered'>) {
    const email = question.query.email ?? question.body.email ?? '';
    const at = performance.now();
    const asked: AskedRequest = { ...question, email, at, aborted: false, answered: false };
    requests.push(asked);
    waiting.shift()?.(asked);
    const isHeld = holding === 'all' || (holding !== 'none' && holding.has(keyOf(email)));
    const go = isHeld
      ? new Promise<void>((resolve) => held.push({ email: keyOf(email), go: resolve }))
      : Promise.resolve();
    return { asked, reply: go.then(() => replyTo(asked)) };
  }

  return { script, take };
}

/** The parameters of a form-encoded or JSON body. */
export function parametersIn(rawBody: string, contentType = ''): Record<string, string> {
  if (!contentType.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(rawBody));
  try {
    const entries = Object.entries(JSON.parse(rawBody) as object);
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

/** The body of a reply for an address. */
export const bodyOf = ({ body }: Reply, email: string): string =>
  typeof body === 'string' ? body : body(email);

/** Whether responses with a status have no body (RFC 9110). */
export const isBodiless = (code: number): boolean => code === 204 || code === 304;

/** Whether the client ever gets the complete response. */
export const isAnswered = ({ ending }: Reply): boolean => !/^(stalled|dripping|hang)$/.test(ending);

/** The pause between two bytes of a dripping response. A result has some 400 bytes, more than any test waits for. */
export const DRIP_MS = 50;

/** The service of one sequence: it answers when a step says so, what a step says, late answers included. */
import { bodyOf, readBy, resultOf } from '../scripted-fetch.ts';
import type { Clock } from './clock.ts';

const result = (attributes: object) => (email: string) => JSON.stringify(resultOf(email, attributes));
const message = (text: string) => () => JSON.stringify({ message: text });

/** What a service may say to a question; without a body, the connection ends or stays silent. */
export const ANSWERS = {
  deliverable: { status: 200, body: result({}) },
  undeliverable: { status: 200, body: result({ state: 'undeliverable' }) },
  risky: { status: 200, body: result({ state: 'risky' }) },
  disposable: { status: 200, body: result({ disposable: true }) },
  free: { status: 200, body: result({ free: true }) },
  'undeliverable, with a suggestion': {
    status: 200,
    body: result({ state: 'undeliverable', did_you_mean: 'ann@shop.example' }),
  },
  'deliverable, with a suggestion': { status: 200, body: result({ did_you_mean: 'ann@shop.example' }) },
  'try again (249)': { status: 249, body: message('Try again') },
  'rate limit exceeded (429)': { status: 429, body: message('Rate limit exceeded') },
  'forbidden (403)': { status: 403, body: message('Forbidden') },
  'an error of its own (500)': { status: 500, body: () => '' },
  'no JSON': { status: 200, body: () => '<html>' },
  'no result': { status: 200, body: () => '{"state":"perhaps"}' },
  'headers and no more': { status: 200, body: undefined },
  'no connection': { status: 0, body: undefined },
} as const;

/** How many seconds a proof is valid: short, so that many sequences get to the last minute of one. */
export const PROOF_SECONDS = 70;

/** Nobody has signed it. The widget reads only how long it is valid. */
function proofOf(email: string, at: number): string {
  const iat = Math.floor(at / 1000);
  const claims = JSON.stringify({ iat, exp: iat + PROOF_SECONDS, email });
  return `e30.${Buffer.from(claims).toString('base64url')}.AAAA`;
}

export type AnswerName = keyof typeof ANSWERS;

export interface Question {
  readonly email: string;
  readonly at: number;
  readonly signal: AbortSignal;
  /** The last thing said, if anything was. */
  said?: AnswerName;
  /** Whether the page may still hear something. */
  isOpen: boolean;
  answer(name: AnswerName): void;
}

export class Service {
  readonly questions: Question[] = [];
  /** What is said to every question as it comes, until a step says otherwise. */
  mood: AnswerName | undefined;
  /** A page's wrapper around `fetch` may drop the signal: then an abort changes nothing here. */
  heedsAborts = true;

  #clock: Clock;
  #onQuestion: (question: Question) => void;
  #onAnswer: (question: Question) => void;

  constructor(
    clock: Clock,
    onQuestion: (question: Question) => void,
    onAnswer: (question: Question) => void,
  ) {
    this.#clock = clock;
    this.#onQuestion = onQuestion;
    this.#onAnswer = onAnswer;
  }

  readonly fetch = (url: string, init: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      let breakOff = reject;
      const signal = init.signal as AbortSignal;
      const question: Question = {
        email: ((init.body as URLSearchParams | undefined) ?? new URL(url).searchParams).get('email') ?? '',
        at: this.#clock.now,
        signal,
        isOpen: true,
        answer: (wanted) => {
          // Of what has begun, only the end can come: here, the connection's.
          const name = question.said === 'headers and no more' ? 'no connection' : wanted;
          const { status, body } = ANSWERS[name];
          question.said = name;
          this.#onAnswer(question);
          if (!status) {
            question.isOpen = false;
            breakOff(new TypeError('Failed to fetch'));
          }
          if (status && !body) {
            const read = () => new Promise<never>((_, fail) => (breakOff = fail));
            resolve({ status, body: readBy(read) } as Response);
          }
          if (!body) return;
          question.isOpen = false;
          const headers = new Headers({ 'Email-Verify-Proof': proofOf(question.email, this.#clock.now) });
          resolve({ status, headers, body: bodyOf(body(question.email)) } as Response);
        },
      };
      signal.addEventListener('abort', () => {
        if (this.heedsAborts) breakOff(new DOMException('Aborted', 'AbortError'));
      });
      this.questions.push(question);
      this.#onQuestion(question);
      const { mood } = this;
      if (mood) this.#clock.later(() => question.isOpen && question.answer(mood), 100);
    });

  /** What has been asked and not been answered. */
  get open() {
    return this.questions.filter(({ isOpen }) => isOpen);
  }

  /** Of these, what the page has not given up. */
  get inFlight() {
    return this.open.filter(({ signal }) => !signal.aborted);
  }
}

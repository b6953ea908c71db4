/** A fetch that answers when a test says so, and tells what it was asked. Runs on vitest's fake timers. */
import { vi } from 'vitest';
import { exampleResult } from '../../src/testing/replies.ts';

export interface Asked {
  readonly url: URL;
  readonly init: RequestInit;
  /** What is asked, in the address or in the body. */
  readonly parameters: Record<string, string>;
  readonly email: string;
  readonly isAborted: boolean;
  answer(status: number, body: string | object, headers?: HeadersInit): Promise<void>;
  /** The body is whatever this function reads. */
  answerBy(status: number, read: Read): Promise<void>;
  /** The connection fails, as `fetch` says it in every browser. */
  fail(): Promise<void>;
  /** The headers arrive, the body never does; `fail` breaks it off. */
  answerWithoutBody(status: number): Promise<void>;
}

export interface ScriptedFetch {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly requests: readonly Asked[];
  /** The latest request; throws when there is none. */
  readonly last: Asked;
}

/** Lets everything happen that is due now. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

type Read = () => Promise<{ readonly value: Uint8Array | undefined }>;

/** A body that is read by this function. */
export const readBy = (read: Read) => ({ getReader: () => ({ read }) }) as unknown as Response['body'];

/** A body that comes in one piece. */
export function bodyOf(text: string): Response['body'] {
  const pieces = [new TextEncoder().encode(text)];
  return readBy(async () => ({ value: pieces.pop() }));
}

export function scriptFetch(): ScriptedFetch {
  const requests: Asked[] = [];
  const fetch = (address: string, init: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      const url = new URL(address);
      const sent = (init.body as URLSearchParams | undefined) ?? url.searchParams;
      let broken: (() => void) | undefined;
      const failure = new TypeError('Failed to fetch');
      const parameters = Object.fromEntries(sent);
      // Like a wrapper that drops the signal: an abort is noticed by nobody but the test.
      requests.push({
        url,
        init,
        parameters,
        email: parameters.email ?? '',
        get isAborted() {
          return init.signal?.aborted ?? false;
        },
        answer(status, body, headers) {
          const text = typeof body === 'string' ? body : JSON.stringify(body);
          resolve({
            status,
            ok: status < 300,
            body: bodyOf(text),
            headers: new Headers(headers),
          } as Response);
          return settle().then(() => {});
        },
        answerWithoutBody(status) {
          const read = () => new Promise<never>((_, breakOff) => (broken = () => breakOff(failure)));
          resolve({ status, ok: status < 300, body: readBy(read) } as Response);
          return settle().then(() => {});
        },
        answerBy(status, read) {
          resolve({ status, ok: status < 300, body: readBy(read) } as Response);
          return settle().then(() => {});
        },
        fail() {
          reject(failure);
          broken?.();
          return settle().then(() => {});
        },
      });
    });
  return {
    fetch,
    requests,
    get last() {
      const last = requests.at(-1);
      if (!last) throw new Error('Nothing was asked.');
      return last;
    },
  };
}

/** A documented result, of a request without the check for accept-all. */
export const resultOf = (email: string, attributes: object = {}) =>
  exampleResult(email, { accept_all: null, ...attributes });

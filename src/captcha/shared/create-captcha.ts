/**
 * What every captcha is made of: the provider's script comes when first needed, and each request gets a token that
 * no other request gets, from a widget of its own. Knows no provider.
 */

import { loadApi, type ScriptOptions, type ScriptSource } from './load-api.ts';
import { makePlace, type PlaceOptions } from './place.ts';

/**
 * What is common to the captchas of all providers.
 *
 * @useDeclaredType
 */
export type CaptchaOptions = ScriptOptions & PlaceOptions;

/** Usable as the widget's option `captcha`. */
export interface CaptchaFunction {
  /**
   * Gives a token for one request, or an empty text while a challenge is still open: then ask again.
   *
   * @param input the field that is verified: a challenge is shown above the dialog that it is in
   */
  (input: HTMLInputElement): Promise<string>;
  /**
   * Takes a challenge that is shown off the page, and drops a token that is kept for the next request. The widget calls
   * it when it is destroyed. The function can be called again afterwards.
   */
  cancel(): void;
}

export interface Provider<Api> extends ScriptSource<Api> {
  /** For how long its tokens are valid, in milliseconds. @default 60000 */
  readonly lifeMs?: number;
  /** Reads from a token when it expires, in milliseconds since 1970; `NaN` where the token does not say. */
  expiryOf?(token: string): number;
  /**
   * Gets one token, from a widget in `place`.
   *
   * @param ended aborted when the token is there, or is no longer wanted: take the widget away
   * @param expired call it when the provider reports that the token has expired
   */
  solve(api: Api, place: HTMLElement, ended: AbortSignal, expired: () => void): Promise<string>;
}

/** How long a visitor may take for a challenge. */
const CHALLENGE_MS = 120_000;
/** How long a token is kept whose provider names no lifetime. */
const LIFE_MS = 60_000;
/** What a token must have left when it is handed out: the request and the provider's check take time. */
const SPARE_MS = 5_000;
/** How long a failure is kept: the verification that it belongs to asks again well before. */
const KEEP_FAILURE_MS = 1_000;
/**
 * How long the widget waits at a time. It asks again for as long as its verification runs, so a token never goes to a
 * verification that has ended, as it would if a visitor took more time than `verificationTimeout`.
 */
const WAIT_MS = 1_000;

interface Waiter {
  resolve(token: string | Promise<string>): void;
}

/** @returns the function that gives a token for each request; its promise is rejected where there is none */
export function createCaptcha<Api>(provider: Provider<Api>, options: CaptchaOptions): CaptchaFunction {
  /** Of the challenge that is open. */
  let running: AbortController | undefined;
  let asker: HTMLInputElement;
  let waiter: Waiter | undefined;
  /** What came of a challenge while no request waited. */
  let left: { outcome: Promise<string>; isFresh: () => boolean } | undefined;

  /** Ends the wait of the last request. */
  function settle(token: string | Promise<string>) {
    waiter?.resolve(token);
    waiter = undefined;
  }

  function run(ended: AbortController, expired: () => void): Promise<string> {
    const { signal } = ended;
    let isInTime = () => true;
    const watch = setInterval(() => {
      // A challenge must not stand over another view, once the form has gone.
      if (!isInTime() || !asker.isConnected) ended.abort(new Error('no token in time'));
    }, WAIT_MS);
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        clearInterval(watch);
        reject(signal.reason);
      });
    });
    const solved = async () => {
      const api = await loadApi(provider, options);
      signal.throwIfAborted();
      const place = makePlace(asker, options);
      isInTime = within(CHALLENGE_MS);
      const token = provider.solve(api, place, signal, expired);
      // After the provider's own listener, which needs the element still.
      signal.addEventListener('abort', () => place.remove());
      return token;
    };
    return Promise.race([solved(), stopped]).finally(() => ended.abort());
  }

  function start() {
    const ended = new AbortController();
    running = ended;
    const finish = (isFresh: () => boolean) => {
      if (running !== ended) return;
      running = undefined;
      // Without a token, the verification asks again, which opens a new challenge.
      if (waiter) settle(isFresh() ? outcome : '');
      else left = { outcome, isFresh };
    };
    const outcome = run(ended, () => {
      if (left?.outcome === outcome) left = undefined;
    });
    outcome.then(
      (token) => {
        const { lifeMs = LIFE_MS, expiryOf } = provider;
        const stated = (expiryOf?.(token) ?? Number.NaN) - Date.now();
        finish(within((stated < lifeMs ? stated : lifeMs) - SPARE_MS));
      },
      () => finish(within(KEEP_FAILURE_MS)),
    );
  }

  const captcha = (input: HTMLInputElement): Promise<string> => {
    asker = input;
    const found = left;
    left = undefined;
    if (found?.isFresh()) return found.outcome;
    if (!running) start();
    // The last one to ask is certain to wait still. An earlier one that waits as well asks again.
    settle('');
    return new Promise((resolve) => {
      const own: Waiter = { resolve };
      waiter = own;
      setTimeout(() => {
        if (waiter === own) settle('');
      }, WAIT_MS);
    });
  };

  const cancel = () => {
    const challenge = running;
    running = left = undefined;
    settle('');
    challenge?.abort();
  };

  return Object.assign(captcha, { cancel });
}

/**
 * Tells whether less than this time has passed since the call. By two clocks: one can be set, the other can stop while
 * the machine sleeps.
 */
function within(ms: number): () => boolean {
  const [wall, own] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - own) < ms;
}

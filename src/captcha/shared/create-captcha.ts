/**
 * The common part of all captcha helpers. It loads the provider's script when it is first needed, and gives each request
 * its own token. Knows no provider.
 */

import { loadApi, type ScriptOptions, type ScriptSource } from './load-api.ts';
import { makePlace, type PlaceOptions } from './place.ts';

/**
 * The options that all captcha helpers have.
 *
 * @useDeclaredType
 */
export type CaptchaOptions = ScriptOptions & PlaceOptions;

/** A function for the widget's option `captcha`. */
export interface CaptchaFunction {
  /**
   * Gives a token for one request, or an empty text while a challenge is open. Then call it again. The promise rejects
   * if there is no token.
   *
   * @param input the verified input. If it is in a dialog, the challenge is shown in that dialog
   */
  (input: HTMLInputElement): Promise<string>;
  /**
   * Removes an open challenge from the page, and drops a token for the next request. The widget calls it in
   * `destroy()`. You can call the function again afterwards.
   */
  cancel(): void;
}

export interface Provider<Api> extends ScriptSource<Api> {
  /** The lifetime of its tokens, in milliseconds. @default 60000 */
  readonly lifeMs?: number;
  /** Reads the expiry from a token, in milliseconds since 1970; `NaN` if the token does not contain it. */
  expiryOf?(token: string): number;
  /**
   * Gets one token from a widget in `place`.
   *
   * @param ended aborted when the token has arrived or is no longer needed. Then remove the widget
   * @param expired call it when the provider reports that the token has expired
   */
  solve(api: Api, place: HTMLElement, ended: AbortSignal, expired: () => void): Promise<string>;
}

/** The visitor's time for a challenge. */
const CHALLENGE_MS = 120_000;
/** The lifetime of a token, if the provider states none. */
const LIFE_MS = 60_000;
/** The lifetime that a token must have left: the request and the provider's check take time. */
const SPARE_MS = 5_000;
/** How long a failure is stored. The verification that it belongs to asks again sooner. */
const KEEP_FAILURE_MS = 1_000;
/**
 * The longest wait of one call. The widget calls again while its verification runs. A token therefore never goes to a
 * verification that has ended because the visitor took longer than `verificationTimeout`.
 */
const WAIT_MS = 1_000;

/** @returns a function that gives a token for each request. Its promise rejects if there is no token */
export function createCaptcha<Api>(provider: Provider<Api>, options: CaptchaOptions): CaptchaFunction {
  /** The controller of the open challenge. */
  let running: AbortController | undefined;
  let asker: HTMLInputElement;
  /** Ends the wait of the last request. */
  let answer: ((token: string | Promise<string>) => void) | undefined;
  /** The outcome of a challenge that ended while no request waited. */
  let left: { outcome: Promise<string>; isFresh: () => boolean } | undefined;

  function settle(token: string | Promise<string>) {
    answer?.(token);
    answer = undefined;
  }

  function run(ended: AbortController, expired: () => void): Promise<string> {
    const { signal } = ended;
    let isInTime = () => true;
    const watch = setInterval(() => {
      // When the form has left the page, its challenge must not stay over another view.
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
      // After the provider's own listener, which still needs the element.
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
      // With an empty text, the verification asks again, and that opens a new challenge.
      if (answer) settle(isFresh() ? outcome : '');
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
    // Only the last caller certainly still waits. An earlier one asks again.
    settle('');
    return new Promise((resolve) => {
      answer = resolve;
      setTimeout(() => {
        if (answer === resolve) settle('');
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
 * Returns a function that tells whether less than this time has passed. It reads two clocks: one can be set, the other
 * can stop while the machine sleeps.
 */
function within(ms: number): () => boolean {
  const [wall, own] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - own) < ms;
}

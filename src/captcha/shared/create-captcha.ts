/**
 * What every captcha is made of: the provider's script comes when first needed, each request gets a token that
 * nobody else has, from a widget of its own. Knows no provider.
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
export type CaptchaFunction = (input: HTMLInputElement) => Promise<string>;

export interface Provider<Api> extends ScriptSource<Api> {
  /**
   * Gets one token, from a widget in `place`, which is removed afterwards.
   *
   * @param ended when the token is there, or is given up: take the widget away
   */
  solve(api: Api, place: HTMLElement, ended: AbortSignal): Promise<string>;
}

/** How long a visitor may take for a challenge. */
const CHALLENGE_MS = 120_000;
/** How long a token waits that came when nobody did; the providers' are good for two minutes and more. */
const KEEP_MS = 60_000;
/** The same for a failure: the question that it belongs to is asked again well before. */
const KEEP_FAILURE_MS = 1_000;
/**
 * How long the widget waits at a time. It asks again as long as its question stands; so a token never goes to a
 * question that is long over, as it would if a visitor took more time than `verificationTimeout`.
 */
const WAIT_MS = 1_000;

interface Waiter {
  resolve(token: string | Promise<string>): void;
}

/** @returns the function that gives a token for each request; rejects where none is to be had */
export function createCaptcha<Api>(provider: Provider<Api>, options: CaptchaOptions): CaptchaFunction {
  let running = false;
  let waiter: Waiter | undefined;
  let left: { outcome: Promise<string>; until: number } | undefined;

  async function run(input: HTMLInputElement): Promise<string> {
    const ended = new AbortController();
    let place: HTMLElement | undefined;
    try {
      const api = await loadApi(provider, options);
      place = makePlace(input, options);
      const limit = new Promise<never>((_, reject) => {
        const timer = setTimeout(() => reject(new Error('no token in time')), CHALLENGE_MS);
        ended.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      return await Promise.race([provider.solve(api, place, ended.signal), limit]);
    } finally {
      ended.abort();
      place?.remove();
    }
  }

  function finish(outcome: Promise<string>, keepMs: number) {
    running = false;
    if (waiter) waiter.resolve(outcome);
    else left = { outcome, until: Date.now() + keepMs };
    waiter = undefined;
  }

  function start(input: HTMLInputElement) {
    running = true;
    const outcome = run(input);
    outcome.then(
      () => finish(outcome, KEEP_MS),
      () => finish(outcome, KEEP_FAILURE_MS),
    );
  }

  return (input) => {
    const found = left;
    left = undefined;
    if (found && Date.now() < found.until) return found.outcome;
    if (!running) start(input);
    // Whoever asks last is certain to be waiting still; an earlier one that is as well asks again.
    waiter?.resolve('');
    return new Promise((resolve) => {
      const own: Waiter = { resolve };
      waiter = own;
      setTimeout(() => {
        if (waiter !== own) return;
        waiter = undefined;
        resolve('');
      }, WAIT_MS);
    });
  };
}

/**
 * One question to the service, from the first try to an answer or a failure: the parameters, the retries of
 * 249, the time limit. Knows nothing of fields and forms. However it ends, it ends once.
 */

import { bare } from '../../interface/bare.ts';
import { jsonIn } from '../../interface/json.ts';
import { type CheckedResult, parseResult } from '../../interface/result.ts';
import { browser } from '../browser.ts';
import type { Options } from '../options.ts';
import { createTimer } from '../timer.ts';
import { retryPause } from './retry.ts';

/** The service's word on an address. */
export interface Answer {
  readonly status: number;
  /** The JSON text as it came. */
  readonly body: string;
  /** What the policy looks at. All else is in the body only: a page may have many fields, each with an answer. */
  readonly _result: CheckedResult;
}

/**
 * Why there is no answer; the `detail` of an `error` event.
 *
 * @inline
 */
export interface Failure {
  /** The HTTP status; 0 when there was none. */
  readonly status: number;
  /** The service's own message when it sent one, else one that says what happened. */
  readonly message: string;
}

export type Outcome = Answer | Failure;

export const isAnswer = (outcome: Outcome): outcome is Answer => '_result' in outcome;

/** What a question needs to know beside the address. */
export type RequestOptions = Pick<Options, 'apiKey' | 'baseUrl' | 'method' | 'verificationTimeout'>;

/** Gives a captcha token, anew for each try. */
export type CaptchaToken = () => unknown;

export interface Exchange {
  readonly _outcome: Promise<Outcome>;
  /** Gives the question up: the request is aborted, and whoever still waits for the outcome is told so. */
  _abort(): void;
}

const TRY_AGAIN = 249;

/** In characters, some fifteen times what a result has: of more, the rest is left, and what is left is no JSON. */
const BODY_LIMIT = 10_000;

/** How often a captcha that has given no token yet is asked again. */
const TOKEN_PAUSE_MS = 250;

/** Some browsers fail a page's requests shortly before they tell it that it is being left: wait and see. */
const LEAVING_MS = 150;

const NO_TOKEN: Failure = { status: 0, message: 'No captcha token.' };
/** A browser does not tell a page these apart: an answer that names no origin reads like none. */
const UNREACHABLE: Failure = {
  status: 0,
  message: 'No connection, or refused. Check baseUrl, apiKey and its trusted domains.',
};

export function askService(
  address: string,
  options: RequestOptions,
  captchaToken: CaptchaToken | undefined,
): Exchange {
  const { apiKey, baseUrl, method, verificationTimeout } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const deadline = createTimer(() => end(tooLate));
  const pause = createTimer(() => next());
  let next: () => void = attempt;
  let tried = 0;
  /** What is to be said when the time is up. */
  let tooLate = NO_TOKEN;
  let settle: (outcome: Outcome) => void;

  /** The first end counts. */
  const end = (outcome: Outcome) => {
    controller.abort();
    deadline._stop();
    pause._stop();
    settle(outcome);
  };

  /** A simple CORS request: nothing about it makes a browser ask for permission first. */
  function send(token: unknown): Promise<Response> {
    // It makes texts of them all.
    const parameters = new URLSearchParams({
      api_key: apiKey,
      email: address,
      timeout: Math.min(10, Math.max(2, verificationTimeout | 0)),
      ...(token ? { captcha_response: token } : null),
    } as object as Record<string, string>);
    const url = `${baseUrl.replace(/\/+$/, '')}/v1/verify`;
    // A redirect would carry the key, and the visitor's address, to wherever it points.
    const init: RequestInit = { method, signal, redirect: 'error', credentials: 'omit', cache: 'no-store' };
    if (method === 'GET') return browser.fetch(`${url}?${parameters}`, bare(init));
    return browser.fetch(url, bare({ ...init, body: parameters }));
  }

  async function attempt(): Promise<void> {
    let failure = NO_TOKEN;
    try {
      const token = captchaToken && (await captchaToken());
      if (signal.aborted) return;
      // Its visitor may have something to do first.
      if (captchaToken && !token) return pause._start(TOKEN_PAUSE_MS);
      if (!tried++) {
        tooLate = { status: 0, message: 'No answer.' };
        deadline._start(verificationTimeout * 1000);
      }
      failure = UNREACHABLE;
      const response = await send(token);
      const body = (await response.text()).slice(0, BODY_LIMIT);
      if (signal.aborted) return;
      const { status } = response;
      const result = status === 200 && parseResult(body);
      if (result) {
        const { state, disposable, role, free, did_you_mean } = result;
        return end({ status, body, _result: { state, disposable, role, free, did_you_mean } });
      }
      failure = { status, message: messageIn(body) || `Status ${status}, no result.` };
      const pauseMs = status === TRY_AGAIN && retryPause(tried);
      if (!pauseMs) return end(failure);
      tooLate = failure;
      pause._start(pauseMs);
    } catch {
      // Which error it is differs from browser to browser: what ended it is known here, not read from it.
      next = () => end(failure);
      if (!signal.aborted) pause._start(LEAVING_MS);
    }
  }

  const outcome = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  // A captcha has as long again.
  deadline._start(verificationTimeout * 1000);
  void attempt();
  return { _outcome: outcome, _abort: () => end({ status: 0, message: '' }) };
}

/** The `message` that the service's errors carry (interface, section 7). */
function messageIn(body: string): string {
  const { message } = bare(jsonIn(body) as { message?: unknown });
  return typeof message === 'string' ? message : '';
}

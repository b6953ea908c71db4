/**
 * Sends the requests for one address, until there is a result or a failure: the parameters, the retries after 249, the
 * timeout. It settles exactly once. It knows no fields or forms.
 */

import { bare } from '../../protocol/bare.ts';
import { jsonIn } from '../../protocol/json.ts';
import { PROOF_HEADER } from '../../protocol/proof.ts';
import { type CheckedResult, isResult } from '../../protocol/result.ts';
import { isText } from '../../protocol/text.ts';
import { unlessItThrows } from '../../protocol/unless-it-throws.ts';
import { browser } from '../browser.ts';
import type { Options } from '../options.ts';
import { createTimer } from '../timer.ts';
import { isSameAddress } from './address.ts';
import { retryPause } from './retry.ts';

/** The service's result for an address. */
export interface Answer {
  readonly status: number;
  /** The result as JSON text, as the service sent it. */
  readonly body: string;
  /** The service's signed proof of the result, if it sent one. */
  readonly _proof?: string | null | undefined;
  /** From when on a submission asks for another proof, in milliseconds since 1970. `undefined` for never. */
  _renewable?: number | undefined;
  /** The properties that the policy reads. The rest stays in the body, to save memory on pages with many fields. */
  readonly _result: CheckedResult;
}

/**
 * Why there is no verdict: the `detail` of an `error` event.
 *
 * @inline
 */
export interface Failure {
  /** The HTTP status, or 0 without a response. */
  readonly status: number;
  /** The service's message. If it sent none, the widget's own message says what happened. */
  readonly message: string;
}

export type Outcome = Answer | Failure;

export const isAnswer = (outcome: Outcome): outcome is Answer => !!(outcome as Answer)._result;

/** The options that a request uses. */
export type RequestOptions = Pick<Options, 'apiKey' | 'baseUrl' | 'method' | 'verificationTimeout'>;

/** Gives a new captcha token for each request. */
export type CaptchaToken = () => unknown;

export interface Exchange {
  readonly _outcome: Promise<Outcome>;
  /** Aborts the request. The outcome is then a failure without a message. */
  _abort(): void;
}

const TRY_AGAIN = 249;

/** In characters, about 15 times the length of a result. A longer body is not read to its end, and counts as empty. */
const BODY_LIMIT = 10_000;

/** The pause before the widget asks the captcha again, if it gave no token. */
const TOKEN_PAUSE_MS = 250;

/**
 * Some browsers fail a page’s requests shortly before `pagehide`, which comes late on a busy machine. The widget waits
 * this long before it reports.
 */
const LEAVING_MS = 500;

const withoutResponse = (message: string): Failure => ({ status: 0, message });

// A text, because the first call of a function takes time, and this runs while the page loads.
const NO_TOKEN = 'No captcha token.';

export function askService(
  address: string,
  options: RequestOptions,
  captchaToken: CaptchaToken | '' | undefined,
): Exchange {
  const { apiKey, baseUrl, method, verificationTimeout } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const deadline = createTimer();
  const pause = createTimer();
  let tried = 0;
  /** The outcome if the time runs out. */
  let tooLate = withoutResponse(NO_TOKEN);
  let settle: (outcome: Outcome) => void;

  /** Settles the outcome. Later calls change nothing. */
  const end = (outcome: Outcome) => {
    controller.abort();
    deadline._stop();
    pause._stop();
    settle(outcome);
  };

  /** A simple CORS request, so that the browser sends no preflight. */
  function send(token: unknown): Promise<Response> {
    // URLSearchParams turns every value into text.
    const parameters = new URLSearchParams({
      api_key: apiKey,
      email: address,
      timeout: Math.min(10, Math.max(2, verificationTimeout | 0)),
      ...((token && { captcha_response: token }) as object),
    } as object as Record<string, string>);
    const url = `${baseUrl.replace(/\/+$/, '')}/v1/verify`;
    const isGet = method === 'GET';
    return browser.fetch(
      isGet ? `${url}?${parameters}` : url,
      bare({
        method,
        body: isGet ? null : parameters,
        signal,
        // A redirect would send the key and the visitor's address to another host.
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
      }),
    );
  }

  async function ask(): Promise<void> {
    let failure = withoutResponse(NO_TOKEN);
    try {
      const token = captchaToken && (await captchaToken());
      if (signal.aborted) return;
      // The visitor may still be solving the challenge.
      if (captchaToken && !token) return pause._start(TOKEN_PAUSE_MS, ask);
      if (!tried++) {
        tooLate = withoutResponse('No response.');
        deadline._start(verificationTimeout * 1000, () => end(tooLate));
      }
      // Browsers do not tell a page which of the two it was: a response without CORS headers looks like no response.
      failure = withoutResponse('No connection, or refused. Check baseUrl, apiKey and its trusted domains.');
      const response = await send(token);
      const body = await textOf(response);
      if (signal.aborted) return;
      const { status } = response;
      const own = bare(jsonIn(body) as { message?: unknown; email?: unknown });
      const { message } = own;
      failure = {
        status,
        message: (isText(message) && message) || `Status ${status}, no result.`,
      };
      // A page's service worker may answer from its cache, with the result of another visitor's address.
      if (status === 200 && isResult(own) && isSameAddress(own.email, address)) {
        const { state, disposable, role, free, did_you_mean } = own;
        // A page's own `fetch` may give no headers.
        const proof = response.headers?.get(PROOF_HEADER);
        return end({
          status,
          body,
          _proof: proof,
          _renewable: renewableAt(proof),
          _result: { state, disposable, role, free, did_you_mean },
        });
      }
      const pauseMs = status === TRY_AGAIN && retryPause(tried);
      if (!pauseMs) return end(failure);
      tooLate = failure;
      pause._start(pauseMs, ask);
    } catch {
      // Browsers throw different errors, so `failure` says what happened.
      if (!signal.aborted) pause._start(LEAVING_MS, () => end(failure));
    }
  }

  const outcome = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  // This limits the wait for the captcha. The first request starts the time again.
  deadline._start(verificationTimeout * 1000, () => end(tooLate));
  void ask();
  return { _outcome: outcome, _abort: () => end(withoutResponse('')) };
}

/**
 * A minute before a proof ends, by the time since it came: the visitor's clock may be wrong. `undefined` for what cannot be
 * read, which only a server can judge.
 */
const renewableAt = (proof?: string | null) =>
  unlessItThrows(() => {
    // Base64 spells two of its characters otherwise. No digit or quote of the JSON has one.
    const { iat, exp } = jsonIn(atob((proof as string).split('.')[1]!.replace(/[-_]/g, '/'))) as {
      iat: number;
      exp: number;
    };
    return Date.now() + (exp - iat - 60) * 1000;
  });

/** Reads a body, unless it is too long for a result. */
async function textOf(response: Response): Promise<string> {
  let text = '';
  const reader = response.body?.getReader();
  // Without a body, such as with status 204, or from a page's own `fetch` that has only texts.
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  while (text.length < BODY_LIMIT) {
    const { value } = await reader.read();
    if (!value) return text;
    text += decoder.decode(value, { stream: true });
  }
  return '';
}

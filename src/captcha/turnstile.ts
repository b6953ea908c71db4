/**
 * A captcha helper for Cloudflare Turnstile.
 *
 * @module email-verify-widget/captcha/turnstile
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** Options of `turnstile()`. */
export interface TurnstileOptions extends CaptchaOptions {
  /** The site key, from Cloudflare's dashboard. */
  sitekey: string;
  /** Further options of `turnstile.render`, such as `{ theme: 'dark', language: 'de', action: 'sign-up' }`. */
  params?: Record<string, unknown> | undefined;
}

interface Turnstile {
  render(place: HTMLElement, parameters: Record<string, unknown>): string | null | undefined;
  remove(id: string): void;
}

/**
 * Makes a function for the widget's option `captcha`. For each request, it renders a widget of Turnstile and removes it
 * afterwards. The widget is visible only if the visitor has to act.
 *
 * The function's promise rejects if the script does not load, or if Turnstile fails or is not supported. The visitor can
 * then submit the form.
 *
 * @example
 * install({ apiKey: 'test_public_key', captcha: turnstile({ sitekey: '0x4AAAAAAA' }) });
 */
export function turnstile({ sitekey, params, ...options }: TurnstileOptions): CaptchaFunction {
  return createCaptcha<Turnstile>(
    {
      src: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
      known: 'challenges.cloudflare.com/turnstile/',
      api: () => (window as { turnstile?: Turnstile }).turnstile,
      // https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
      lifeMs: 300_000,
      solve: (api, place, ended, expired) =>
        new Promise((resolve, reject) => {
          const fail = (what?: unknown) => {
            reject(new Error(`Turnstile has failed: ${what}`));
            // Tells Turnstile that the error is handled, so that it logs nothing.
            return true;
          };
          const id = api.render(place, {
            appearance: 'interaction-only',
            ...params,
            sitekey,
            'response-field': false,
            retry: 'never',
            callback: resolve,
            'expired-callback': expired,
            'error-callback': fail,
            'timeout-callback': () => fail('no answer'),
            'unsupported-callback': () => fail('not supported'),
          });
          if (id) ended.addEventListener('abort', () => api.remove(id));
          else fail('not rendered');
        }),
    },
    options,
  );
}

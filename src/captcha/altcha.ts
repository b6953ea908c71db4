/**
 * ALTCHA v3.
 *
 * @module email-verify-widget/captcha/altcha
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** What `altcha()` takes. */
export interface AltchaOptions extends CaptchaOptions {
  /** Where a new challenge is fetched from for each token: your server's address, or ALTCHA Sentinel's. */
  challenge: string;
  /** More of the element's attributes, such as `{ language: 'de', workers: 2 }`. */
  params?: Record<string, unknown> | undefined;
}

/**
 * A captcha for the widget's option `captcha`. For each request it makes an `<altcha-widget>` of its own, which fetches
 * and solves a challenge at once, and takes it away again.
 *
 * Its promise is rejected when the script does not arrive, or ALTCHA fails: the visitor may go on.
 *
 * @example
 * install({ apiKey: 'test_public_key', captcha: altcha({ challenge: 'https://api.example/altcha' }) });
 */
export function altcha({ challenge, params = {}, ...options }: AltchaOptions): CaptchaFunction {
  return createCaptcha<CustomElementConstructor>(
    {
      src: 'https://cdn.jsdelivr.net/npm/altcha@3.2.2/dist/main/altcha.min.js',
      integrity: 'sha384-jLDlAN4sNEyVuoXL4XWR9bYCXmPdWJF8pbfHbHBAqpWh3En8WFppYuHzwVVFMQO3',
      // Not this script's own name.
      known: 'altcha.min.js',
      isModule: true,
      api: () => customElements.get('altcha-widget'),
      expiryOf,
      solve: (_, place, _ended, expired) =>
        new Promise((resolve, reject) => {
          const widget = document.createElement('altcha-widget');
          for (const [name, value] of Object.entries({ ...params, challenge, auto: 'onload' })) {
            widget.setAttribute(name, String(value));
          }
          widget.addEventListener('verified', (event) =>
            resolve((event as Event as CustomEvent<{ payload: string }>).detail.payload),
          );
          widget.addEventListener('statechange', (event) => {
            const { state } = (event as CustomEvent<{ state: string }>).detail;
            if (state === 'expired') expired();
            if (/^(error|expired)$/.test(state)) reject(new Error(`ALTCHA has failed: ${state}`));
          });
          place.append(widget);
        }),
    },
    options,
  );
}

/**
 * The challenge that a token repeats names its end in seconds: as `expiresAt`, in an older format as `expires` in the
 * salt, in ALTCHA Sentinel's answer as `expire`.
 */
function expiryOf(token: string): number {
  try {
    return Number(/\bexpire(?:s?=|sAt":)(\d+)/.exec(atob(token))?.[1]) * 1000;
  } catch {
    return Number.NaN;
  }
}

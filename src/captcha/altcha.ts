/**
 * A captcha helper for ALTCHA v3.
 *
 * @module email-verify-widget/captcha/altcha
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** Options of `altcha()`. */
export interface AltchaOptions extends CaptchaOptions {
  /** URL of new challenges, on your server or on ALTCHA Sentinel. The element requests one for each token. */
  challenge: string;
  /** Further attributes of the element, such as `{ language: 'de', workers: 2 }`. */
  params?: Record<string, unknown> | undefined;
}

/**
 * Makes a function for the widget's option `captcha`. For each request, it adds an `<altcha-widget>`, which solves a
 * challenge at once, and removes it afterwards.
 *
 * The function's promise rejects if the script does not load or ALTCHA fails. The visitor can then submit the form.
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
 * A token repeats its challenge, which contains its expiry in seconds: as `expiresAt`, in an older format as `expires`
 * in the salt, from ALTCHA Sentinel as `expire`.
 */
function expiryOf(token: string): number {
  try {
    return Number(/\bexpire(?:s?=|sAt":)(\d+)/.exec(atob(token))?.[1]) * 1000;
  } catch {
    return Number.NaN;
  }
}

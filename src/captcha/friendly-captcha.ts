/**
 * A captcha helper for Friendly Captcha v2.
 *
 * @module email-verify-widget/captcha/friendly-captcha
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** Options of `friendlyCaptcha()`. */
export interface FriendlyCaptchaOptions extends CaptchaOptions {
  /** The site key, from Friendly Captcha's dashboard. */
  sitekey: string;
  /** Further options of `frcaptcha.createWidget`, such as `{ apiEndpoint: 'eu', language: 'de' }`. */
  params?: Record<string, unknown> | undefined;
}

interface Handle {
  addEventListener(
    type: string,
    listener: (event: CustomEvent<{ response: string; error?: { code?: string } }>) => void,
  ): void;
  destroy(): void;
}

interface FriendlyCaptchaSdk {
  createWidget(options: Record<string, unknown>): Handle;
}

/**
 * Makes a function for the widget's option `captcha`. For each request, it adds a widget of Friendly Captcha, which
 * solves its puzzle at once, and removes it afterwards.
 *
 * The function's promise rejects if the script does not load or Friendly Captcha fails. The visitor can then submit the
 * form.
 *
 * @example
 * install({ apiKey: 'test_public_key', captcha: friendlyCaptcha({ sitekey: 'FCMG0000' }) });
 */
export function friendlyCaptcha({ sitekey, params, ...options }: FriendlyCaptchaOptions): CaptchaFunction {
  return createCaptcha<FriendlyCaptchaSdk>(
    {
      src: 'https://cdn.jsdelivr.net/npm/@friendlycaptcha/sdk@1.0.2/site.min.js',
      integrity: 'sha384-PlTUwS206S5stm69A6ULL0xNfgrDI6zspceDmfFtJGdNblYUuExQauIm9leAc/Ck',
      known: '@friendlycaptcha/sdk',
      isModule: true,
      api: () => (window as { frcaptcha?: FriendlyCaptchaSdk }).frcaptcha,
      solve: (api, place, ended, expired) =>
        new Promise((resolve, reject) => {
          const widget = api.createWidget({
            ...params,
            ...{ element: place, sitekey, startMode: 'auto', formFieldName: null },
          });
          ended.addEventListener('abort', () => widget.destroy());
          widget.addEventListener('frc:widget.complete', ({ detail }) => resolve(detail.response));
          widget.addEventListener('frc:widget.expire', expired);
          widget.addEventListener('frc:widget.error', ({ detail }) =>
            reject(new Error(`Friendly Captcha has failed: ${detail.error?.code}`)),
          );
        }),
    },
    options,
  );
}

/**
 * A captcha helper for Google reCAPTCHA v2, invisible or with a checkbox.
 *
 * @module email-verify-widget/captcha/recaptcha-v2
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';
import { LIFE_MS, type Recaptcha, recaptchaOf, rendered } from './shared/recaptcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** Options of `recaptchaV2()`. */
export interface RecaptchaV2Options extends CaptchaOptions {
  /** The site key for v2, from reCAPTCHA's admin console. Its type must match `size`. */
  sitekey: string;
  /** `'invisible'`, or for a checkbox key the size of the checkbox. @default 'invisible' */
  size?: 'invisible' | 'normal' | 'compact' | undefined;
  /** Further options of `grecaptcha.render`, such as `{ badge: 'bottomleft' }`. */
  params?: Record<string, unknown> | undefined;
}

/**
 * Makes a function for the widget's option `captcha`. It renders one widget of reCAPTCHA, and resets it for each
 * request.
 *
 * The function's promise rejects if the script does not load or reCAPTCHA fails. It also rejects if the visitor does not
 * solve a challenge within two minutes. The visitor can then submit the form.
 *
 * @example
 * install({ apiKey: 'test_public_key', captcha: recaptchaV2({ sitekey: '6LeIxAcTAAAAA' }) });
 */
export function recaptchaV2({
  sitekey,
  size = 'invisible',
  params,
  ...options
}: RecaptchaV2Options): CaptchaFunction {
  return createCaptcha<Recaptcha>(
    {
      src: 'https://www.google.com/recaptcha/api.js?render=explicit',
      known: '/recaptcha/api.js',
      api: () => recaptchaOf('classic'),
      lifeMs: LIFE_MS,
      solve: rendered({ ...params, sitekey, size }),
    },
    options,
  );
}

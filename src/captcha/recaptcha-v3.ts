/**
 * A captcha helper for Google reCAPTCHA v3, which gives scores and shows no challenge.
 *
 * @module email-verify-widget/captcha/recaptcha-v3
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';
import { LIFE_MS, type Recaptcha, recaptchaOf, scored } from './shared/recaptcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** Options of `recaptchaV3()`. */
export interface RecaptchaV3Options extends Omit<CaptchaOptions, 'container'> {
  /** The site key for v3, from reCAPTCHA's admin console. */
  sitekey: string;
  /** The action of the token: letters, digits, `_` and `/`. @default 'email_verify' */
  action?: string | undefined;
}

/**
 * Makes a function for the widget's option `captcha`, which gets a new token for each request. If your page loads
 * reCAPTCHA itself, it has to load `api.js?render=<sitekey>` with this key.
 *
 * The function's promise rejects if the script does not load or does not know the key. The visitor can then submit the
 * form.
 *
 * @example
 * install({ apiKey: 'test_public_key', captcha: recaptchaV3({ sitekey: '6LeIxAcTAAAAA' }) });
 */
export function recaptchaV3({
  sitekey,
  action = 'email_verify',
  ...options
}: RecaptchaV3Options): CaptchaFunction {
  return createCaptcha<Recaptcha>(
    {
      src: `https://www.google.com/recaptcha/api.js?render=${encodeURIComponent(sitekey)}`,
      known: '/recaptcha/api.js',
      api: () => recaptchaOf('classic'),
      lifeMs: LIFE_MS,
      solve: (api) => scored(api, sitekey, action),
    },
    options,
  );
}

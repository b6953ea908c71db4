/**
 * Google reCAPTCHA v3, which gives scores and asks visitors for nothing.
 *
 * @module email-verify-widget/captcha/recaptcha-v3
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';
import { LIFE_MS, type Recaptcha, recaptchaOf, scored } from './shared/recaptcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** What `recaptchaV3()` takes. */
export interface RecaptchaV3Options extends Omit<CaptchaOptions, 'container'> {
  /** The site key, from reCAPTCHA's admin console: of v3. */
  sitekey: string;
  /** The action that the token is for: letters, digits, `_` and `/`. @default 'email_verify' */
  action?: string | undefined;
}

/**
 * A captcha for the widget's option `captcha`: a new token for each request. A page that loads reCAPTCHA itself has to
 * load it with this key, as `api.js?render=<sitekey>`.
 *
 * Its promise is rejected when the script does not arrive, or does not know the key: the visitor may go on.
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

/**
 * A captcha helper for Google reCAPTCHA Enterprise, with score keys and checkbox keys.
 *
 * @module email-verify-widget/captcha/recaptcha-enterprise
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';
import { LIFE_MS, type Recaptcha, recaptchaOf, rendered, scored } from './shared/recaptcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** Options of `recaptchaEnterprise()`. */
export interface RecaptchaEnterpriseOptions extends CaptchaOptions {
  /** The ID of the key, from Google Cloud's console. */
  sitekey: string;
  /** The action of the token: letters, digits, `_` and `/`. @default 'email_verify' */
  action?: string | undefined;
  /** For a checkbox key, the size of the checkbox. @default none, for a score key */
  size?: 'normal' | 'compact' | undefined;
  /** For a checkbox key, further options of `grecaptcha.enterprise.render`. */
  params?: Record<string, unknown> | undefined;
}

/**
 * Makes a function for the widget's option `captcha`, which gets a new token for each request. If your page loads
 * reCAPTCHA itself for a score key, it has to load `enterprise.js?render=<sitekey>`.
 *
 * The function's promise rejects if the script does not load or does not know the key. The visitor can then submit the
 * form.
 *
 * @example
 * install({ apiKey: 'test_public_key', captcha: recaptchaEnterprise({ sitekey: '6LeIxAcTAAAAA' }) });
 */
export function recaptchaEnterprise({
  sitekey,
  action = 'email_verify',
  size,
  params,
  ...options
}: RecaptchaEnterpriseOptions): CaptchaFunction {
  return createCaptcha<Recaptcha>(
    {
      src: `https://www.google.com/recaptcha/enterprise.js?render=${size ? 'explicit' : encodeURIComponent(sitekey)}`,
      known: '/recaptcha/enterprise.js',
      api: () => recaptchaOf('enterprise'),
      lifeMs: LIFE_MS,
      solve: size ? rendered({ ...params, sitekey, action, size }) : (api) => scored(api, sitekey, action),
    },
    options,
  );
}

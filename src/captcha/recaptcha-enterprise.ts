/**
 * Google reCAPTCHA Enterprise: keys that give scores, and keys with a box to tick.
 *
 * @module email-verify-widget/captcha/recaptcha-enterprise
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';
import { LIFE_MS, type Recaptcha, recaptchaOf, rendered, scored } from './shared/recaptcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** What `recaptchaEnterprise()` takes. */
export interface RecaptchaEnterpriseOptions extends CaptchaOptions {
  /** The key's id, from Google Cloud's console. */
  sitekey: string;
  /** The action that the token is for: letters, digits, `_` and `/`. @default 'email_verify' */
  action?: string | undefined;
  /** For a key with a box to tick, the size of the box. @default none: the key gives scores */
  size?: 'normal' | 'compact' | undefined;
  /** For a key with a box to tick, more of what `grecaptcha.enterprise.render` takes. */
  params?: Record<string, unknown> | undefined;
}

/**
 * A captcha for the widget's option `captcha`: a new token for each request. A page that loads reCAPTCHA itself has to
 * load it with a key that gives scores, as `enterprise.js?render=<sitekey>`.
 *
 * Its promise is rejected when the script does not arrive, or does not know the key: the visitor may go on.
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

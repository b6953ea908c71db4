/**
 * Google reCAPTCHA v2: invisible, or with its box to tick.
 *
 * @module email-verify-widget/captcha/recaptcha-v2
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';
import { LIFE_MS, type Recaptcha, recaptchaOf, rendered } from './shared/recaptcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** What `recaptchaV2()` takes. */
export interface RecaptchaV2Options extends CaptchaOptions {
  /** The site key, from reCAPTCHA's admin console: of v2, and of the kind that `size` says. */
  sitekey: string;
  /** What the key is made for: `invisible`, or the size of the box to tick. @default 'invisible' */
  size?: 'invisible' | 'normal' | 'compact' | undefined;
  /** More of what `grecaptcha.render` takes, such as `{ badge: 'bottomleft' }`. */
  params?: Record<string, unknown> | undefined;
}

/**
 * A captcha for the widget's option `captcha`. It renders a widget of its own, and resets that for each request.
 *
 * Its promise is rejected when the script does not arrive, reCAPTCHA fails, or a challenge is not solved within two
 * minutes: the visitor may go on.
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

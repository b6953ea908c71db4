/**
 * A captcha helper for hCaptcha. It is invisible until the visitor has to solve a challenge.
 *
 * @module email-verify-widget/captcha/hcaptcha
 */

import { type CaptchaFunction, type CaptchaOptions, createCaptcha } from './shared/create-captcha.ts';

export type { CaptchaFunction, CaptchaOptions } from './shared/create-captcha.ts';

/** Options of `hcaptcha()`. */
export interface HcaptchaOptions extends CaptchaOptions {
  /** The site key, from hCaptcha's dashboard. */
  sitekey: string;
  /** Further options of `hcaptcha.render`, such as `{ theme: 'dark', hl: 'de' }`. */
  params?: Record<string, unknown> | undefined;
}

interface Hcaptcha {
  render(place: HTMLElement, parameters: Record<string, unknown>): string;
  execute(id: string, parameters: { async: true }): Promise<{ response: string }>;
  remove(id: string): void;
}

/**
 * Makes a function for the widget's option `captcha`. For each request, it renders a widget of hCaptcha and removes it
 * afterwards. It loads hCaptcha with `recaptchacompat=off`, so that `window.grecaptcha` stays as it is.
 *
 * The function's promise rejects if the script does not load, hCaptcha fails, or the visitor closes the challenge. The
 * visitor can then submit the form.
 *
 * @example
 * install({ apiKey: 'test_public_key', captcha: hcaptcha({ sitekey: '10000000-ffff-ffff-ffff-000000000001' }) });
 */
export function hcaptcha({ sitekey, params, ...options }: HcaptchaOptions): CaptchaFunction {
  return createCaptcha<Hcaptcha>(
    {
      src: 'https://js.hcaptcha.com/1/api.js?render=explicit&recaptchacompat=off',
      known: 'hcaptcha.com/1/api.js',
      api: () => (window as { hcaptcha?: Hcaptcha }).hcaptcha,
      // https://docs.hcaptcha.com/#verify-the-user-response-server-side
      lifeMs: 120_000,
      solve: (api, place, ended, expired) =>
        new Promise((resolve, reject) => {
          const fail = (what: unknown) => reject(new Error(`hCaptcha has failed: ${what}`));
          const id = api.render(place, {
            ...params,
            ...{ sitekey, size: 'invisible', 'error-callback': fail, 'expired-callback': expired },
          });
          ended.addEventListener('abort', () => api.remove(id));
          api.execute(id, { async: true }).then(({ response }) => resolve(response), fail);
        }),
    },
    options,
  );
}

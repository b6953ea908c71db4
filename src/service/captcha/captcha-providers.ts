/** The captcha providers with the same `siteverify` interface: Turnstile, hCaptcha, reCAPTCHA. */

export const SITEVERIFY_URLS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
} as const;

/** All URLs of a provider. Google has a second host for countries that cannot reach the first. */
export const OWN_SITEVERIFY_URLS: Readonly<Record<keyof typeof SITEVERIFY_URLS, readonly string[]>> = {
  turnstile: [SITEVERIFY_URLS.turnstile],
  hcaptcha: [SITEVERIFY_URLS.hcaptcha],
  recaptcha: [SITEVERIFY_URLS.recaptcha, 'https://www.recaptcha.net/recaptcha/api/siteverify'],
};

export type CaptchaProvider = keyof typeof SITEVERIFY_URLS;

/** The captcha settings of a public key. */
export interface CaptchaEntry {
  readonly provider: CaptchaProvider;
  readonly secret: string;
  /** @default the provider's own URL */
  readonly siteverifyUrl?: string;
}

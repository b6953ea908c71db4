/** What pages have at hand when they run the snippets' scripts. */
import type { Detail, GivenOptions, install as installWidget } from 'email-verify-widget';
import type { turnstile } from 'email-verify-widget/captcha/turnstile';

declare global {
  interface Window {
    emailVerify: unknown;
    EmailVerifyObject?: string;
    emailable: unknown;
  }

  function emailVerify(name: 'verify', input: Element): Promise<Detail>;
  function emailVerify(name: 'destroy'): void;
  function emailVerify(options: GivenOptions): void;
  function emailVerify<Name extends keyof GivenOptions>(name: Name, value: GivenOptions[Name]): void;
  namespace emailVerify {
    let q: unknown[];
  }
  /** The same by another name. */
  function emailable<Name extends keyof GivenOptions>(name: Name, value: GivenOptions[Name]): void;
  namespace emailable {
    let q: unknown[];
  }

  const emailVerifyCaptcha: { readonly turnstile: typeof turnstile };
  // Of the snippet before, in the README.
  const install: typeof installWidget;

  // biome-ignore lint/suspicious/noExplicitAny: jQuery, whose types are not here.
  const $: any;
}

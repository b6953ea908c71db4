/** What pages have at hand when they run the snippets' scripts. */
import type { Detail, install as installWidget } from 'email-verify-widget';
import type { turnstile } from 'email-verify-widget/captcha/turnstile';
import type { EmailVerifyCommand } from 'email-verify-widget/global';

// A snippet's `querySelector` finds any element to the compiler.
declare module 'email-verify-widget/global' {
  interface EmailVerifyCommand {
    // biome-ignore lint/style/useShorthandFunctionType: a function type can't be merged
    (command: 'verify', input: Element): Promise<Detail> | undefined;
  }
}

declare global {
  /** The same function by another name. */
  var emailable: EmailVerifyCommand;

  const emailVerifyCaptcha: { readonly turnstile: typeof turnstile };
  // Of the snippet before, in the README.
  const install: typeof installWidget;

  // biome-ignore lint/suspicious/noExplicitAny: jQuery, whose types are not here.
  const $: any;
}

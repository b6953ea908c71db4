/**
 * Types of the global function `emailVerify`, for pages that embed the script and are written in TypeScript. Holds
 * types only: a page refers to it, and nothing is loaded.
 *
 * @module email-verify-widget/global
 */

import type { Detail, GivenOptions } from './index.ts';

/** What the global function `emailVerify` takes. With `EmailVerifyObject`, it is the function of that other name. */
export interface EmailVerifyCommand {
  /**
   * Verifies an input's present value now.
   *
   * @returns a promise as of `Widget.verify`; `undefined` while the page's queue stands in for the script
   */
  (command: 'verify', input: HTMLInputElement): Promise<Detail> | undefined;
  /** Takes everything back, as `Widget.destroy` does. */
  (command: 'destroy'): void;
  /** Sets one option, at any time. */
  <Name extends keyof GivenOptions>(name: Name, value: GivenOptions[Name]): void;
  /** Sets several options, at any time. */
  (options: GivenOptions): void;
  /** The script's version, such as `2.0.0`; missing while the page's queue stands in for the script. */
  version?: string | undefined;
  /** The calls that the page's queue keeps for the script. */
  q?: ArrayLike<unknown>[] | undefined;
}

declare global {
  /** The widget's global function: the page's queue at first, then the script's own. */
  var emailVerify: EmailVerifyCommand;

  interface Window {
    /** Another name for the global function, set before the script loads. */
    EmailVerifyObject?: string | undefined;
  }
}

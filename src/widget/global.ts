/**
 * Types of the global function `emailVerify`, for pages that embed the script and are written in TypeScript. This entry
 * contains only types and loads nothing.
 *
 * @module email-verify-widget/global
 */

import type { Detail, GivenOptions } from './index.ts';

/** The global function `emailVerify`. `EmailVerifyObject` gives it another name. */
export interface EmailVerifyCommand {
  /**
   * Verifies an input's current value now.
   *
   * @returns the same promise as `Widget.verify`, or `undefined` before the script has loaded
   */
  (command: 'verify', input: HTMLInputElement): Promise<Detail> | undefined;
  /** Removes the widget and everything that it added, as `Widget.destroy` does. */
  (command: 'destroy'): void;
  /** Sets one option, at any time. */
  <Name extends keyof GivenOptions>(name: Name, value: GivenOptions[Name]): void;
  /** Sets several options, at any time. */
  (options: GivenOptions): void;
  /** The script's version, such as `2.0.0`. Missing before the script has loaded. */
  version?: string | undefined;
  /** Calls that the page's queue keeps until the script has loaded. */
  q?: ArrayLike<unknown>[] | undefined;
}

declare global {
  /** The widget's global function. The page's queue has this name until the script has loaded. */
  var emailVerify: EmailVerifyCommand;

  interface Window {
    /** Another name for the global function. Set it before the script loads. */
    EmailVerifyObject?: string | undefined;
  }
}

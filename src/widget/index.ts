/**
 * The widget as a module: `import { install } from 'email-verify-widget'`. The import alone does nothing.
 *
 * Start with {@link install} and {@link Options}. The script tag takes the same options as `data-` attributes. You can
 * also set them with `emailVerify(name, value)`.
 *
 * @module email-verify-widget
 */

import type { ErrorDetail, VerifiedDetail, VerifyingDetail } from './effects/events.ts';
import { presentWidget, setPresentWidget, warnOfSecond } from './only-one.ts';
import type { GivenOptions } from './options.ts';
import { createWidget, type Widget } from './widget.ts';

export type { Allow, Allowance } from '../protocol/policy.ts';
export type { Reason, State, VerificationResult } from '../protocol/result.ts';
export type { Messages } from './check/policy.ts';
export type { ErrorDetail, VerifiedDetail, VerifyingDetail } from './effects/events.ts';
export type { Detail } from './field.ts';
export type { Captcha, Given, GivenOptions, Options, Style } from './options.ts';
export type { Widget } from './widget.ts';

/** The widget's events that bubble. It fires them on the input. */
export interface EmailVerifyEventMap {
  /** Fires before a request. To skip this address, call `preventDefault()`. */
  verifying: CustomEvent<VerifyingDetail>;
  /** Fires after a verdict. */
  verified: CustomEvent<VerifiedDetail>;
}

/**
 * The event `error`, which fires if there is no verdict. It does not bubble. The DOM's types define `error` as another
 * event, so a listener names this type: `(event: Event) => (event as EmailVerifyErrorEvent).detail.status`.
 */
export type EmailVerifyErrorEvent = CustomEvent<ErrorDetail>;

declare global {
  interface HTMLElementEventMap extends EmailVerifyEventMap {}
  interface DocumentEventMap extends EmailVerifyEventMap {}
  interface WindowEventMap extends EmailVerifyEventMap {}
}

/**
 * Installs the widget in this page. It starts when an `apiKey` is set and the document is ready.
 *
 * A second call prints a warning and returns the installed widget. For a wrong option, the widget prints a warning in
 * the console and uses the default. It never throws. On a server it does nothing.
 *
 * @param options any of {@link Options}. You can also set them later, with `set()`
 * @returns the widget, with functions to set options, verify an input and remove the widget
 * @example
 * const widget = install({ apiKey: 'test_public_key', baseUrl: 'https://api.example' });
 */
export function install(options: GivenOptions = {}): Widget {
  // A server has no page. The browser calls this function again.
  if (typeof document === 'undefined') {
    return { set() {}, verify: () => Promise.resolve(null), destroy() {} };
  }
  const present = presentWidget();
  if (present) {
    warnOfSecond();
    return present;
  }
  const created = createWidget(ownOrigin, load);
  const widget: Widget = {
    ...created,
    destroy() {
      created.destroy();
      if (presentWidget() === widget) setPresentWidget(undefined);
    },
  };
  setPresentWidget(widget);
  widget.set(options);
  return widget;
}

/** Bundlers put each of these imports into a chunk of its own. The browser loads the first only for the option `debug`. */
async function load(baseUrl?: string): Promise<void> {
  if (baseUrl === undefined) (await import('../debug/index.ts')).logWhileOptionSays();
  else await import('./face/index.ts');
}

/** The origin of this module's file. Bundlers may have put the module into a file of the page. */
function ownOrigin(): string {
  const { protocol, origin } = new URL(import.meta.url, location.href);
  return /^https?:$/.test(protocol) ? origin : location.origin;
}

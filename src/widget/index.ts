/**
 * The module's entry: `import { install } from 'email-verify-widget'`. Importing it does nothing by itself.
 *
 * Begin with {@link install} and {@link Options}. The script tag takes the same options as `data-` attributes, and
 * `emailVerify(name, value)` sets them too.
 *
 * @module email-verify-widget
 */

import type { ErrorDetail, VerifiedDetail, VerifyingDetail } from './effects/events.ts';
import { presentWidget, setPresentWidget, warnOfSecond } from './only-one.ts';
import type { GivenOptions } from './options.ts';
import { createWidget, type Widget } from './widget.ts';

export type { Reason, State, VerificationResult } from '../interface/result.ts';
export type { Allow, Allowance, Messages } from './check/policy.ts';
export type { ErrorDetail, VerifiedDetail, VerifyingDetail } from './effects/events.ts';
export type { Detail } from './field.ts';
export type { Captcha, Given, GivenOptions, Options, Style } from './options.ts';
export type { Widget } from './widget.ts';

/** What the widget fires on an input, and what bubbles up from there. */
export interface EmailVerifyEventMap {
  /** An address is about to be asked for; cancelled, it is left alone. */
  verifying: CustomEvent<VerifyingDetail>;
  /** There is a verdict. */
  verified: CustomEvent<VerifiedDetail>;
}

/**
 * The third event, which does not bubble. The DOM's own types have an `error` already, so a listener names the type
 * itself: `(event: Event) => (event as EmailVerifyErrorEvent).detail.status`.
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
 * Installing twice is installing once: the second call warns and returns the widget that is there. A wrong option is
 * warned of in the console, and the rest goes on; nothing is thrown. On a server it does nothing.
 *
 * @param options see {@link Options}; they can be set later as well
 * @example
 * const widget = install({ apiKey: 'test_public_key', baseUrl: 'https://api.example' });
 */
export function install(options: GivenOptions = {}): Widget {
  // On a server there is no page to install it in; the browser will call this again.
  if (typeof document === 'undefined') {
    return { set() {}, verify: () => Promise.resolve(null), destroy() {} };
  }
  const present = presentWidget();
  if (present) {
    warnOfSecond();
    return present;
  }
  const created = createWidget(ownOrigin, loadDebug);
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

/** A chunk of its own in whatever bundles this, and loaded when it is asked for. */
async function loadDebug(): Promise<void> {
  const { logWhileOptionSays } = await import('../debug/index.ts');
  logWhileOptionSays();
}

/** Where this module came from; a bundler may have put it into a file of the page's own. */
function ownOrigin(): string {
  const { protocol, origin } = new URL(import.meta.url, location.href);
  return /^https?:$/.test(protocol) ? origin : location.origin;
}

/** The script of a language: gives its texts to the page's widget, before or after that has loaded. */

import { localeOf } from './language.ts';
import type { LocaleTexts } from './texts.ts';

type Command = { (...parameters: unknown[]): void; q?: unknown[] };

/**
 * Gives the widget the texts in the document's language, if there are any.
 *
 * @param locales by language subtag
 */
export function giveLocale(locales: Readonly<Record<string, LocaleTexts>>): void {
  const texts = localeOf(document.documentElement.lang, locales);
  if (texts) commandOf(window as unknown as Record<string, unknown>)('locale', texts);
}

/** The global function under the page's name for it, or the page's queue before the widget has loaded. */
export function commandOf(scope: Record<string, unknown>): Command {
  const { EmailVerifyObject } = scope;
  const name = typeof EmailVerifyObject === 'string' ? EmailVerifyObject : 'emailVerify';
  // The window also has a property for each element with an id.
  if (typeof scope[name] !== 'function') {
    const queue: Command = (...parameters) => {
      queue.q ??= [];
      queue.q.push(parameters);
    };
    scope[name] = queue;
  }
  return scope[name] as Command;
}

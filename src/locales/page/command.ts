/** What a locale's script does when it is loaded: gives its texts to the page's widget, whether that is there yet or not. */

import { localeOf } from './language.ts';
import type { LocaleTexts } from './texts.ts';

type Command = { (...parameters: unknown[]): void; q?: unknown[] };

/**
 * Gives the widget the texts in the document's language; does nothing when they are not among these.
 *
 * @param locales by language subtag
 */
export function giveLocale(locales: Readonly<Record<string, LocaleTexts>>): void {
  const texts = localeOf(document.documentElement.lang, locales);
  if (texts) commandOf(window as unknown as Record<string, unknown>)('locale', texts);
}

/** The page's command, by the name that the page has given it; the queue that stands in for it before it is there. */
export function commandOf(scope: Record<string, unknown>): Command {
  const { EmailVerifyObject } = scope;
  const name = typeof EmailVerifyObject === 'string' ? EmailVerifyObject : 'emailVerify';
  // An element of that id is a property of the window too, and no command.
  if (typeof scope[name] !== 'function') {
    const queue: Command = (...parameters) => {
      queue.q ??= [];
      queue.q.push(parameters);
    };
    scope[name] = queue;
  }
  return scope[name] as Command;
}

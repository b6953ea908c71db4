/**
 * Logs what the widget sees and decides: `email-verify-widget/debug`. The widget loads it for its option `debug`. Other
 * pages do not load it.
 *
 * @module email-verify-widget/debug
 */
import { optionsOf } from './follow.ts';
import { type Entry, observe } from './observe.ts';

export { type Entry, type EntryKind, observe } from './observe.ts';

/** An entry as the console shows it. */
export const lineOf = ({ kind, field, text }: Entry): string =>
  `email-verify-widget: ${field ? `${field}: ` : ''}${kind}: ${text}`;

/**
 * Logs every decision of the widget in the console, one line each, whatever the option `debug` says. The lines contain
 * the addresses that visitors type.
 *
 * @example
 * import { logDecisions } from 'email-verify-widget/debug';
 * if (import.meta.env.DEV) logDecisions();
 *
 * @returns a function that stops logging
 */
export function logDecisions(): () => void {
  return observe((entry) => console.log(lineOf(entry)));
}

let isFollowing = false;

/** Logs while the option `debug` is true. The widget calls this. A second call does nothing. */
export function logWhileOptionSays(): void {
  if (isFollowing) return;
  isFollowing = true;
  observe((entry) => {
    if (optionsOf().debug) console.log(lineOf(entry));
  });
}

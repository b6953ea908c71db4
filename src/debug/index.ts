/**
 * `email-verify-widget/debug`: says aloud what the widget sees and decides. The widget loads it for its option `debug`;
 * a page that does not ask for it pays nothing, and nothing is logged.
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
 * Logs every decision of the widget in the console, in one line each, whatever its option `debug` says; addresses
 * that visitors type are in them.
 *
 * @example
 * import { logDecisions } from 'email-verify-widget/debug';
 * if (import.meta.env.DEV) logDecisions();
 *
 * @returns stops logging
 */
export function logDecisions(): () => void {
  return observe((entry) => console.log(lineOf(entry)));
}

let isFollowing = false;

/** What the widget loads for its option `debug`: logs as long as that is true. A second call does nothing. */
export function logWhileOptionSays(): void {
  if (isFollowing) return;
  isFollowing = true;
  observe((entry) => {
    if (optionsOf().debug) console.log(lineOf(entry));
  });
}

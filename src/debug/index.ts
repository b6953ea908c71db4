/**
 * `email-verify-widget/debug`: says aloud what the widget sees and decides. Not part of the widget: what does not load
 * it, pays nothing and logs nothing.
 *
 * @module email-verify-widget/debug
 */
import { type Entry, observe } from './observe.ts';

export { type Entry, type EntryKind, observe } from './observe.ts';

/** An entry as the console shows it. */
export const lineOf = ({ kind, field, text }: Entry): string =>
  `email-verify-widget: ${field ? `${field}: ` : ''}${kind}: ${text}`;

/**
 * Logs every decision of the widget in the console, in one line each; addresses that visitors type are in them. Call
 * it before `install()`.
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

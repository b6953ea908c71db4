/** Reads the texts of forms: one line, or a list with an entry on each line. */
import { type Named, whyNotGivenName } from '../core/given-name.ts';

/** Characters that databases and terminals cannot handle. */
const CONTROL = /\p{Cc}/u;

/** @returns what is wrong with a name, or undefined. The page trims it before. */
export function whyNotName(name: string, named: Named): string | undefined {
  if (name === '') return 'Type a name that you will recognise.';
  const fault = whyNotGivenName(name, named);
  return fault === undefined ? undefined : `Expected a name ${fault}. Type another.`;
}

/** The words of a list. People paste lists with commas or blanks, too. */
export const readWords = (text: string) =>
  readLines(text).flatMap(({ entry: row, line }) =>
    row.split(/[\s,;]+/).flatMap((entry) => (entry === '' ? [] : [{ entry, line }])),
  );

export const isOneLine = (text: string): boolean => !CONTROL.test(text);

/** The entries with the numbers of their lines. Empty lines are left out. */
export function readLines(text: string): { readonly entry: string; readonly line: number }[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((entry, index) => ({ entry: entry.trim(), line: index + 1 }))
    .filter(({ entry }) => entry !== '');
}

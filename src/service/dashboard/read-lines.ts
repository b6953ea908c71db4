/** Reads the texts of forms: one line, or a list with an entry on each line. */

/** Characters that do not belong in names, and that databases and terminals cannot handle. */
const CONTROL = /\p{Cc}/u;
export const MOST_LETTERS = 200;

/** @returns what is wrong with a name, or undefined. The page trims it before. */
export function whyNotName(name: string): string | undefined {
  if (name === '') return 'Type a name that you will recognise.';
  if (name.length > MOST_LETTERS)
    return `Expected a name of at most ${MOST_LETTERS} characters, got ${name.length}. Shorten it.`;
  if (isOneLine(name)) return undefined;
  return 'Expected a name without control characters. Type it again.';
}

export const isOneLine = (text: string): boolean => !CONTROL.test(text);

/** The entries with the numbers of their lines. Empty lines are left out. */
export function readLines(text: string): { readonly entry: string; readonly line: number }[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((entry, index) => ({ entry: entry.trim(), line: index + 1 }))
    .filter(({ entry }) => entry !== '');
}

/** Compares verdicts with known states, and counts them in a confusion matrix. */

import { STATES, type State, type VerificationResult } from '../../protocol/result.ts';
import { quote, UsageError } from '../../service/core/usage-error.ts';

export type Expectation = Pick<VerificationResult, 'email' | 'state'>;

/**
 * Reads lines of `email,state`. A header line, empty lines and quotes around a cell are allowed.
 *
 * @throws {UsageError} with the number of the line that cannot be read
 */
export function readExpected(text: string): readonly Expectation[] {
  const expectations = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .flatMap((line, index) => {
      if (line.trim() === '' || (index === 0 && /^"?email"?\s*,/i.test(line))) return [];
      // A quoted local part may contain a comma, so the last comma separates.
      const comma = line.lastIndexOf(',');
      const [email, state] = [line.slice(0, Math.max(comma, 0)), line.slice(comma + 1)].map(unquote);
      const known = STATES.find((name) => name === state?.toLowerCase());
      if (email && known) return [{ email, state: known }];
      throw new UsageError(
        `Expected "email,state" in line ${index + 1} of --expected, got ${quote(line)}. States are ${STATES.join(', ')}.`,
      );
    });
  if (expectations.length === 0)
    throw new UsageError('Expected at least one line "email,state" in --expected, got none.');
  return expectations;
}

/** Reads a cell of CSV (RFC 4180): removes quotes around it, and replaces doubled quotes inside by one. */
function unquote(cell: string): string {
  const text = cell.trim();
  const inner = /^"(.*)"$/.exec(text)?.[1];
  // `"jane doe"@example.org` is an address, and only its local part is quoted.
  return inner === undefined ? text : inner.replaceAll('""', '"');
}

/** How often each expected state (row) got each state (column). */
export type Confusion = Readonly<Record<State, Readonly<Record<State, number>>>>;

export function countConfusion(
  pairs: readonly { readonly expected: State; readonly got: State }[],
): Confusion {
  const count = (expected: State, got: State) =>
    pairs.filter((pair) => pair.expected === expected && pair.got === got).length;
  const row = (expected: State) => Object.fromEntries(STATES.map((got) => [got, count(expected, got)]));
  return Object.fromEntries(STATES.map((expected) => [expected, row(expected)])) as Confusion;
}

const WIDTH = 15;

/** The matrix as a table, with a summary below it. */
export function showConfusion(confusion: Confusion): string {
  const cells = (name: string, texts: readonly (string | number)[]) =>
    `${name.padEnd(WIDTH)}${texts.map((text) => String(text).padStart(WIDTH)).join('')}`;
  const countsOf = (expected: State) => STATES.map((got) => confusion[expected][got]);
  const rows = STATES.map((expected) => cells(expected, countsOf(expected)));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const all = sum(STATES.flatMap(countsOf));
  const right = sum(STATES.map((state) => confusion[state][state]));
  const condemned = sum(
    STATES.filter((state) => state !== 'undeliverable').map((state) => confusion[state].undeliverable),
  );
  const share = ((100 * right) / all).toFixed(1);
  return [
    cells('expected / got', STATES),
    ...rows,
    '',
    `${right} of ${all} right (${share} %). Wrongly undeliverable: ${condemned}.`,
    '',
  ].join('\n');
}

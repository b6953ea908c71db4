/** The command line of the simulation: `--verifications-per-month 2000000000`, and so on for each assumption. */
import { ASSUMPTIONS, type AssumptionName, DEFAULTS, type Values } from './assumptions.ts';

/** The error for a wrong command line. The message says what is expected. */
export class UsageError extends Error {}

const NAMES = Object.keys(ASSUMPTIONS) as AssumptionName[];

export const flagOf = (name: AssumptionName) =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Assumptions that are shares, and therefore at most 1. */
const isShare = (name: AssumptionName) => ASSUMPTIONS[name].unit.startsWith('of ');
/** Assumptions that are whole numbers. */
const isWhole = (name: AssumptionName) => ['ipAddresses', 'recipients'].includes(name);

/** @throws {UsageError} */
export function readOptions(words: readonly string[]): Values {
  const values: Record<AssumptionName, number> = { ...DEFAULTS };
  for (let at = 0; at < words.length; at += 1) {
    const [flag, joined] = words[at]!.split(/=(.*)/s);
    const name = NAMES.find((each) => flagOf(each) === flag);
    if (!name) {
      throw new UsageError(`Expected one of ${NAMES.map(flagOf).join(', ')}, got ${flag}.`);
    }
    if (joined === undefined) at += 1;
    values[name] = readValue(name, joined ?? words[at]);
  }
  return values;
}

function readValue(name: AssumptionName, text: string | undefined): number {
  const expected = isShare(name)
    ? 'a number from 0 to 1'
    : isWhole(name)
      ? 'a whole number of 1 or more'
      : 'a number above 0';
  const value = text?.trim() ? Number(text) : Number.NaN;
  const isRight = isShare(name)
    ? value >= 0 && value <= 1
    : value > 0 && Number.isFinite(value) && (!isWhole(name) || Number.isInteger(value));
  if (isRight) return value;
  throw new UsageError(
    `Expected ${flagOf(name)} to be ${expected} (${ASSUMPTIONS[name].unit}), got ${text === undefined ? 'nothing' : JSON.stringify(text)}.`,
  );
}

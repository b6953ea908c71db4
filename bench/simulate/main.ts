/** The command `npm run simulate`. */
import { fillBlock } from '../load/docs.ts';
import { ASSUMPTIONS, type AssumptionName, DEFAULTS } from './assumptions.ts';
import { flagOf, readOptions, UsageError } from './options.ts';
import { reportModel } from './report.ts';

export const HELP = `Computes what a number of verifications needs, and simulates it. Prints tables in Markdown.

  npm run --silent simulate -- [--verifications-per-month N] [--ip-addresses N] …

Each assumption is an option:

${(Object.keys(ASSUMPTIONS) as AssumptionName[])
  .map((name) => {
    const { what, unit, value } = ASSUMPTIONS[name];
    return `  ${flagOf(name).padEnd(26)} ${what} (${value.toLocaleString('en')} ${unit})`;
  })
  .join('\n')}
`;

/** @returns the exit code */
export function main(
  words: readonly string[],
  print: (text: string) => void,
  complain: (text: string) => void,
): number {
  if (words.includes('--help')) {
    print(HELP);
    return 0;
  }
  try {
    print(reportModel(readOptions(words)));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(`${error.message} See --help.\n`);
    return 2;
  }
}

/** Puts the tables into the page. Only the defaults are in it. */
export function writeDocs(): void {
  fillBlock('simulated', reportModel(DEFAULTS));
}

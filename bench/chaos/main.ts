/** The command line of the chaos run. */
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

const USAGE = 'npm run chaos -- [--seed N] [--runs N] [--seconds N] [--accounts N] [--processes N]';

export async function main(args: readonly string[]): Promise<number> {
  let numbers: Record<'seed' | 'runs' | 'seconds' | 'accounts' | 'processes', number>;
  try {
    const option = (value: number) => ({ type: 'string', default: String(value) }) as const;
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...{ seed: option(Math.floor(Math.random() * 1_000_000)), runs: option(1), seconds: option(60) },
        ...{ accounts: option(200), processes: option(3) },
      },
    });
    numbers = Object.fromEntries(
      Object.entries(values).map(([name, text]) => [name, wholeNumber(name, text)]),
    ) as typeof numbers;
  } catch (error) {
    console.error(`Expected ${USAGE}, got something else. ${(error as Error).message}`);
    return 2;
  }
  const { seed, runs, ...how } = numbers;
  let isExact = true;
  for (let run = 0; run < runs; run += 1) {
    const { wrong, did } = await runChaos({ seed: seed + run, ...how });
    console.log(`seed ${seed + run}: ${wrong.length === 0 ? 'exact' : `${wrong.length} wrong`}. ${did}`);
    for (const each of wrong) console.log(`  ${each}`);
    isExact &&= wrong.length === 0;
  }
  return isExact ? 0 : 1;
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number.`);
}

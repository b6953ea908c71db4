// @vitest-environment happy-dom
/**
 * Random sequences of what visitors, pages and the service do, at random times: what the contract says of every
 * moment holds at every moment (rules.ts). A sequence that breaks a rule is shrunk to the shortest that does, and
 * printed as a script.
 *
 * In `npm test` a few hundred, always the same; in `npm run test:long` and `npm run fuzz:widget` a thousand new ones.
 * FUZZ_RUNS, FUZZ_SEED and FUZZ_PATH say otherwise.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULTS, type Options } from '../../../src/widget/options.ts';
import { rounds } from '../../long.mjs';
import { FOUND } from './found.ts';
import { Stage } from './stage.ts';
import { anOpening, aStep, isMeanwhile, type Opening, type Step } from './steps.ts';

const { FUZZ_RUNS, FUZZ_PATH } = process.env;
const RUNS = Number(FUZZ_RUNS ?? rounds(100, 1_000));

function describeOpening({ layout, options, habits, heedsAborts }: Opening) {
  const given = Object.entries(options).filter(([name, value]) => value !== DEFAULTS[name as keyof Options]);
  return [
    `open: ${layout}`,
    ...given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(habits.disables === 'never' ? [] : [`the page disables the button ${habits.disables}`]),
    ...(habits.submits === 'as the browser does'
      ? []
      : [`when a button is pressed, the page calls requestSubmit ${habits.submits}`]),
    ...(heedsAborts ? [] : ['its fetch drops the signal']),
  ].join(', ');
}

/** @returns the script as far as it went, and the rule that it broke, if it did */
async function play(opening: Opening, steps: Step[]): Promise<{ script: string[]; broken?: string }> {
  const script = [describeOpening(opening)];
  const stage = new Stage(opening.layout, opening.options, opening.habits);
  stage.service.heedsAborts = opening.heedsAborts;
  try {
    stage.start();
    await stage.look();
    for (const step of steps) {
      if (!isMeanwhile(step)) stage.rules.acted();
      script.push(step.says);
      const said = await step.run(stage);
      if (said === false) script.pop();
      else if (typeof said === 'string') script.splice(-1, 1, said);
      await stage.look();
    }
    script.push('the end: all is answered, and submitted once more');
    await stage.end();
    return { script };
  } catch (error) {
    return { script, broken: stage.rules.broken ?? (error as Error).stack ?? `${error}` };
  } finally {
    stage.close();
  }
}

it.each(Object.entries(FOUND))('keeps its rules when %s', async (_, { opening, steps }) => {
  const { script, broken } = await play(opening, steps);
  if (broken) expect.fail([broken, ...script.map((line) => `  ${line}`)].join('\n'));
});

it(`keeps its rules in ${RUNS} sequences`, { timeout: 0 }, async () => {
  const sequences = fc.asyncProperty(
    anOpening,
    fc.array(aStep, { maxLength: 40, size: 'max' }),
    async (opening, steps) => {
      const { broken } = await play(opening, steps);
      if (broken) throw new Error(broken);
    },
  );
  const result = await fc.check(sequences, { numRuns: RUNS, ...(FUZZ_PATH ? { path: FUZZ_PATH } : null) });
  if (!result.failed) return;
  const [opening, steps] = result.counterexample as [Opening, Step[]];
  const { script, broken } = await play(opening, steps);
  expect.fail(
    [
      broken ?? `${result.errorInstance}\n  once, and not again by:`,
      ...script.map((line) => `  ${line}`),
      `again: FUZZ_SEED=${result.seed} FUZZ_PATH=${result.counterexamplePath} npm run fuzz:widget`,
    ].join('\n'),
  );
});

/** The command line of the bench. It prints and writes the results. */
import { writeFileSync } from 'node:fs';
import { measureFairness } from './batch/fairness.ts';
import { BATCH_FIGURES, measureBatches } from './batch/index.ts';
import { LARGE_FIGURES, measureLarge } from './batch/large.ts';
import { measurePoison } from './batch/poison.ts';
import { measureEngine } from './engine/index.ts';
import { HOUSEKEEPING_FIGURES, measureHousekeeping } from './housekeeping/index.ts';
import { fillBlock, LOAD_RESULTS, measuredBlock } from './load/docs.ts';
import { LOAD_FIGURES, measureLoad } from './load/index.ts';
import { comeToRest, describeMachine } from './machine.ts';
import { isAllMet, NONE, type Part, report, verdicts } from './report.ts';
import { measureService, SERVICE_FIGURES } from './service/index.ts';
import { measureStart } from './start/index.ts';
import { browserVersion, FIGURES, measureWidget } from './widget/index.ts';

const RESULTS = 'bench/results.md';

/** `load` runs alone. */
const PARTS: readonly string[] = [
  ...['widget', 'service', 'engine', 'batch', 'fairness', 'large', 'poison', 'housekeeping', 'start', 'load'],
];
const USAGE = `node bench/run.mjs [${PARTS.slice(0, -1).join(' | ')}] [--quick] [--only=${[...new Set([...Object.keys(FIGURES), ...SERVICE_FIGURES])].join(',')}], or node bench/run.mjs batch [--quick] [--only=${BATCH_FIGURES.join(',')}], or node bench/run.mjs large [--quick] [--only=${LARGE_FIGURES.join(',')}], or node bench/run.mjs housekeeping [--quick] [--only=${HOUSEKEEPING_FIGURES.join(',')}], or node bench/run.mjs load [--quick] [--only=${LOAD_FIGURES.join(',')}]`;

const HOW = `The results are medians, with the 5th and 95th percentiles in brackets. All candidates run in turn on the same pages in the same browser, and each comes first sometimes. "6 ×": the processor is slowed down six times (CDP). ${NONE}: there is nothing to measure. The scripts come from their packages, with their defaults. The widget waits 500 ms after the last key here, like verifalia-widget and the floor. One server is the service of all, and its responses have the same size and take the same time.`;

export async function main(args: readonly string[]): Promise<number> {
  const parts = args.filter((each) => !each.startsWith('--'));
  const only = args.find((each) => each.startsWith('--only='))?.slice('--only='.length);
  const unknown = args.find((each) => !PARTS.includes(each) && !/^(--quick|--only=[\w,]+)$/.test(each));
  if (unknown !== undefined) {
    console.error(`Expected ${USAGE}, got ${unknown}.`);
    return 2;
  }
  const isQuick = args.includes('--quick');
  if (parts.includes('load')) return runLoad(isQuick, only);
  const has = (part: string) => parts.length === 0 || parts.includes(part);
  const isWhole = parts.length === 0 && !only && !isQuick;

  if (isWhole) await comeToRest();
  // Before the first measurement, because the load of the measurements does not count.
  const machine = describeMachine(has('widget') ? browserVersion() : undefined);
  if (machine.warning) console.error(machine.warning);
  const measured: Part[] = [];
  if (has('widget')) measured.push(await measureWidget(isQuick, only));
  if (has('service')) measured.push(await measureService(isQuick, only));
  if (has('engine') && !only) measured.push(await measureEngine(isQuick));
  if (has('batch') && (!only || parts.includes('batch'))) measured.push(await measureBatches(isQuick, only));
  if (has('fairness') && !only) measured.push(await measureFairness(isQuick));
  // Minutes for one figure, so only on demand.
  if (parts.includes('large')) measured.push(await measureLarge(isQuick, only));
  if (parts.includes('poison')) measured.push(await measurePoison(isQuick));
  if (parts.includes('housekeeping')) measured.push(await measureHousekeeping(isQuick, only));
  if (has('start') && !only) measured.push(await measureStart(isQuick));
  const text = report(measured, machine, [HOW]);
  console.log(text);
  console.error(verdicts(measured));
  // A part or a quick run does not replace the complete results.
  if (isWhole) {
    writeFileSync(RESULTS, text);
    console.error(`Written to ${RESULTS}.`);
  }
  return exitCodeOf(measured, isQuick);
}

/** A quick run shows that everything works. Its figures are too few for the targets. */
const exitCodeOf = (measured: readonly Part[], isQuick: boolean): number =>
  isQuick || isAllMet(measured) ? 0 : 1;

const HOW_LOAD =
  'Everything runs on this machine at once: the services, PostgreSQL, the mail servers, the name server and the client. A machine that runs only the service does more. `npm run bench:load` writes this file.';

/** Runs separately, because it takes as long as all others together. */
async function runLoad(isQuick: boolean, only: string | undefined): Promise<number> {
  const isWhole = !isQuick && only === undefined;
  if (isWhole) await comeToRest();
  const machine = describeMachine();
  if (machine.warning) console.error(machine.warning);
  const measured = [await measureLoad(isQuick, only)];
  const text = report(measured, machine, [HOW_LOAD]);
  console.log(text);
  console.error(verdicts(measured));
  if (isWhole) {
    writeFileSync(LOAD_RESULTS, text);
    fillBlock('measured', measuredBlock(text));
    console.error(`Written to ${LOAD_RESULTS} and docs/scaling.md.`);
  }
  return exitCodeOf(measured, isQuick);
}

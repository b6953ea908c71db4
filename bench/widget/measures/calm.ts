/** Measures what visitors must not notice, and what must not stay behind. */
import { type Figure, NONE, round } from '../../report.ts';
import { median } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { compare } from '../compare.ts';
import { type Lab, pause, type Visitor } from '../lab.ts';

const ROUNDS = 5;
const USED_INPUTS = 10;

interface Calm {
  readonly shifts: number;
  readonly longTasks: number;
  readonly nodes: number;
}

export async function calm(lab: Lab): Promise<Figure> {
  const { widget, nothing } = CANDIDATES;
  const candidates: readonly Candidate[] = [...COMPARED, nothing];
  const slowest = lab.rates.at(-1)!;
  const found = await compare(lab, candidates, ROUNDS, (visitor) => measure(visitor, slowest));
  const of = (candidate: Candidate, what: keyof Calm) => median(found(candidate).map((calm) => calm[what]));
  const nodesOf = (candidate: Candidate) => of(candidate, 'nodes') - of(nothing, 'nodes');
  const target = (what: string, value: number, because: string) => ({
    text: `${what}: 0`,
    found: round(value),
    isMet: value === 0,
    because,
  });
  return {
    title: 'Layout shift, long tasks, nodes left behind',
    how: `Layout shifts, including those after an action of the visitor, and tasks of more than 50 ms (PerformanceObserver), while an address is typed, rejected, corrected and accepted (${slowest} ×). Then ${USED_INPUTS} inputs are used and removed, and the script too if it can be. After garbage collection, the remaining nodes are counted (CDP Memory.getDOMCounters), without those of a page without a script.`,
    head: ['', 'layout shift', 'long tasks', 'nodes left', 'can be removed'],
    rows: candidates.map((candidate) => [
      candidate.title,
      round(of(candidate, 'shifts')),
      round(of(candidate, 'longTasks')),
      candidate === nothing ? NONE : round(nodesOf(candidate)),
      candidate === nothing ? NONE : candidate.teardown ? 'yes' : 'no',
    ]),
    targets: [
      target('layout shift', of(widget, 'shifts'), 'something moves when the status appears'),
      target(
        'long tasks',
        of(widget, 'longTasks'),
        `a task takes more than 50 ms with a processor ${slowest} times slower`,
      ),
      target('nodes left after teardown', nodesOf(widget), 'something still refers to them'),
    ],
  };
}

async function measure(visitor: Visitor, rate: number): Promise<Calm> {
  const { tab, candidate } = visitor;
  await visitor.load(USED_INPUTS);
  await tab.evaluate(() => {
    window.bench.longTasks.length = 0;
    window.bench.shifts = 0;
  });
  await visitor.slowDown(rate);
  await visitor.focus();
  await visitor.type('nobody@example.com');
  await untilQuiet(visitor);
  for (let count = 0; count < 'example.com'.length; count += 1) await tab.press('Backspace');
  await visitor.type('example.net');
  await untilQuiet(visitor);
  await visitor.slowDown(1);
  const { shifts, longTasks } = await tab.evaluate(() => ({
    shifts: window.bench.shifts,
    longTasks: window.bench.longTasks.length,
  }));

  await fillAll(visitor, USED_INPUTS);
  await tab.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    document.querySelector('form')!.replaceChildren();
  });
  if (candidate.teardown) await tab.send('Runtime.evaluate', { expression: candidate.teardown });
  await visitor.atRest();
  const { nodes } = await visitor.memory();
  return { shifts, longTasks, nodes };
}

/** Longer than any delay and response together. */
const SETTLED_MS = 1_500;

/** Puts another address into each input, and waits for the last verdict. Some candidates drop part of them. */
export async function fillAll(visitor: Visitor, inputs: number): Promise<void> {
  await visitor.tab.evaluate(async (count) => {
    const all = document.querySelectorAll('input');
    for (let index = 0; index < count; index += 1) {
      const input = all[index]!;
      input.focus();
      input.value = `visitor-${index}@example.com`;
      input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    }
  }, inputs);
  await untilQuiet(visitor);
}

/** Waits for the last verdict. */
async function untilQuiet({ tab, atRest }: Visitor): Promise<void> {
  const verdicts = () => tab.evaluate(() => window.bench.verdicts);
  let before: number;
  do {
    before = await verdicts();
    await pause(SETTLED_MS);
  } while ((await verdicts()) !== before);
  await atRest();
}

/** What it costs a page to change while the script is there. */
import { type Figure, NONE, withSpread } from '../../report.ts';
import { inTurn, spreadOf } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { those } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';

/** Each page is loaded so many times, */
const LOADS = 3;
/** and gets and loses the nodes so many times, of which the first ones only warm up. */
const INSERTIONS = 16;
const WARM_UPS = 3;
/** With a slow processor there is more to see, and it takes longer. */
const SLOW_LOADS = 1;
const SLOW_INSERTIONS = 8;
/** What takes so many times as long as without is measured once: one that looks through the whole page each time. */
const CLEAR_RATIO = 20;

const TARGET = 1.02;

export async function insertion(lab: Lab): Promise<Figure> {
  const { widget, nothing } = CANDIDATES;
  const all: readonly Candidate[] = [...COMPARED, nothing];
  const visitors: Visitor[] = [];
  for (const candidate of those(lab, all)) visitors.push(await lab.visitor(candidate));
  const found = new Map<string, { ms: number[]; ratios: number[] }>();
  const of = ({ name }: Candidate, rate: number) => {
    const key = `${name} ${rate}`;
    if (!found.has(key)) found.set(key, { ms: [], ratios: [] });
    return found.get(key)!;
  };
  const clear = new Set<Candidate>();

  for (const rate of lab.rates) {
    const loads = lab.rounds(rate === 1 ? LOADS : SLOW_LOADS);
    const insertions = WARM_UPS + lab.rounds((rate === 1 ? INSERTIONS : SLOW_INSERTIONS) - WARM_UPS);
    for (let load = 0; load < loads; load += 1) {
      for (const visitor of visitors) await visitor.load(1);
      for (let count = 0; count < insertions; count += 1) {
        const took = new Map<Candidate, number>();
        for (const visitor of inTurn(visitors, count)) {
          if (clear.has(visitor.candidate)) continue;
          // Only as long as it is measured: what slows it down takes the processor from all others.
          await visitor.slowDown(rate);
          took.set(visitor.candidate, await visitor.busyMs(() => visitor.tab.evaluate(insert)));
          await visitor.slowDown(1);
          await visitor.tab.evaluate(remove);
        }
        for (const [candidate, ms] of took) {
          const ratio = ms / took.get(nothing)!;
          if (ratio > CLEAR_RATIO) clear.add(candidate);
          if (count < WARM_UPS && ratio <= CLEAR_RATIO) continue;
          of(candidate, rate).ms.push(ms);
          of(candidate, rate).ratios.push(ratio);
        }
      }
    }
  }
  for (const visitor of visitors) await visitor.close();

  const own = spreadOf(of(widget, 1).ratios);
  return {
    title: 'Inserting 10,000 nodes, with the script ÷ without',
    how: 'Processor time on the main thread (CDP Performance.getMetrics) while a page gets 10,000 elements, 100 of them email inputs, in 100 tasks, and lays them out. Each insertion is held against one made at the same time in a page without a script.',
    head: ['', ...lab.rates.flatMap((rate) => [`time, ${rate} ×`, `÷ without, ${rate} ×`])],
    rows: all.map((candidate) => [
      candidate.title,
      ...lab.rates.flatMap((rate) => [
        of(candidate, rate).ms.length ? withSpread(spreadOf(of(candidate, rate).ms), 'ms') : NONE,
        of(candidate, rate).ms.length && candidate !== nothing
          ? withSpread(spreadOf(of(candidate, rate).ratios))
          : NONE,
      ]),
    ]),
    targets: [
      {
        text: `at most ${TARGET}`,
        found: withSpread(own),
        isMet: own.median <= TARGET,
        because: 'something of it runs when the page changes',
      },
    ],
    notes: [...clear].map(
      ({ title }) =>
        `${title} takes more than ${CLEAR_RATIO} times as long: it is measured once, and not with a slower processor.`,
    ),
  };
}

/** Runs in the page. */
async function insert(): Promise<void> {
  const home = document.getElementById('more')!;
  const { scheduler } = window as unknown as { scheduler: { postTask(task: () => void): Promise<void> } };
  for (let batch = 0; batch < 100; batch += 1) {
    const list = document.createElement('ul');
    for (let count = 0; count < 99; count += 1) {
      const input = count === 0;
      const element = document.createElement(input ? 'input' : count % 3 ? 'span' : 'li');
      if (input) (element as HTMLInputElement).type = 'email';
      else element.textContent = 'text';
      list.append(element);
    }
    home.append(list);
    // A task for each batch: what watches the page is told of each.
    await scheduler.postTask(() => {});
  }
  home.getBoundingClientRect();
}

/** Runs in the page. */
function remove(): void {
  document.getElementById('more')!.textContent = '';
}

/** Measures the cost of changing a page that has the script. */
import { type Figure, NONE, round, withSpread } from '../../report.ts';
import { inTurn, spreadOf } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { those } from '../compare.ts';
import type { Lab, Visitor } from '../lab.ts';
import { ownWork, sum } from '../trace.ts';

/** The number of times that each page is loaded. */
const LOADS = 3;
/** The number of times that the nodes are added and removed. The first ones only warm up. */
const INSERTIONS = 16;
const WARM_UPS = 3;
/** A slow processor makes differences easier to measure, but takes longer. */
const SLOW_LOADS = 1;
const SLOW_INSERTIONS = 7;
const BATCHES = 100;
const NODES_PER_BATCH = 100;
/** A candidate that is not done by then is skipped. One of them searches the whole page each time. */
const PATIENCE_MS = 10_000;

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
  /** The number of nodes that each skipped candidate managed. */
  const unfinished = new Map<Candidate, number>();

  for (const rate of lab.rates) {
    const loads = lab.rounds(rate === 1 ? LOADS : SLOW_LOADS);
    const insertions = WARM_UPS + lab.rounds((rate === 1 ? INSERTIONS : SLOW_INSERTIONS) - WARM_UPS);
    for (let load = 0; load < loads; load += 1) {
      for (const visitor of visitors) await visitor.load(1);
      for (let count = 0; count < insertions; count += 1) {
        const took = new Map<Candidate, number>();
        for (const visitor of inTurn(visitors, count)) {
          if (unfinished.has(visitor.candidate)) continue;
          // Only during the measurement, because the slow-down takes processor time from all others.
          await visitor.slowDown(rate);
          let batches = 0;
          const ms = await visitor.busyMs(async () => {
            batches = await visitor.tab.evaluate(insert, PATIENCE_MS);
          });
          await visitor.slowDown(1);
          if (batches < BATCHES) {
            unfinished.set(visitor.candidate, batches * NODES_PER_BATCH);
            continue;
          }
          took.set(visitor.candidate, ms);
          await visitor.tab.evaluate(remove);
        }
        for (const [candidate, ms] of took) {
          if (count < WARM_UPS) continue;
          of(candidate, rate).ms.push(ms);
          of(candidate, rate).ratios.push(ms / took.get(nothing)!);
        }
      }
    }
  }
  const ranMs = await ownMs(visitors.find(({ candidate }) => candidate === widget)!);
  for (const visitor of visitors) await visitor.close();

  const own = spreadOf(of(widget, 1).ratios);
  return {
    title: 'Inserting 10,000 nodes, with the script ÷ without',
    how: "The processor time on the main thread (CDP Performance.getMetrics) to add 10,000 elements to a page in 100 tasks, and to lay them out. 100 of the elements are email inputs. Each insertion is compared with one at the same time in a page without a script. The brackets show how much such pairs differ. Another insertion runs with a trace, which measures the time of the widget's own functions. If none of them runs, the widget costs nothing.",
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
        found: `${withSpread(own)}, in which its own functions run for ${round(ranMs)} ms`,
        isMet: own.median <= TARGET || ranMs === 0,
        because: 'some of its code runs when the page changes',
      },
    ],
    notes: [...unfinished].map(
      ([{ title }, nodes]) =>
        `With ${title}, ${nodes.toLocaleString('en')} of the 10,000 nodes are in the page after ${PATIENCE_MS / 1000} s. The measurement then stops.`,
    ),
  };
}

/** The time of the script's own functions while the nodes are added. */
async function ownMs(visitor: Visitor): Promise<number> {
  await visitor.load(1);
  // Its one-time work shortly after loading is not caused by the nodes.
  await visitor.tab.evaluate(() => new Promise((done) => setTimeout(done, 1000)));
  const { spans } = await visitor.trace(() => visitor.tab.evaluate(insert, PATIENCE_MS));
  return sum(ownWork(spans).map(({ cpuMs }) => cpuMs));
}

/** Runs in the page. @returns the number of batches that fit into the time */
async function insert(patienceMs: number): Promise<number> {
  const home = document.getElementById('more')!;
  const { scheduler } = window as unknown as { scheduler: { postTask(task: () => void): Promise<void> } };
  const began = performance.now();
  let batches = 0;
  for (; batches < 100 && performance.now() < began + patienceMs; batches += 1) {
    const list = document.createElement('ul');
    for (let count = 0; count < 99; count += 1) {
      const input = count === 0;
      const element = document.createElement(input ? 'input' : count % 3 ? 'span' : 'li');
      if (input) (element as HTMLInputElement).type = 'email';
      else element.textContent = 'text';
      list.append(element);
    }
    home.append(list);
    // A task for each batch, so that observers of the page see each one.
    await scheduler.postTask(() => {});
  }
  home.getBoundingClientRect();
  return batches;
}

/** Runs in the page. */
function remove(): void {
  document.getElementById('more')!.textContent = '';
}

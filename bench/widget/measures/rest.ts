/** Measures what a standing message costs a page at rest. */
import { type Figure, round } from '../../report.ts';
import { median } from '../../statistics.ts';
import { CANDIDATES, type Candidate, COMPARED } from '../candidates/index.ts';
import { compare } from '../compare.ts';
import { type Lab, pause, type Visitor } from '../lab.ts';

const ROUNDS = 5;
const REST_S = 5;
/** More milliseconds in a second than an untouched page. */
const TARGET_MS = 1;

interface Rest {
  readonly focused: number;
  readonly left: number;
  readonly away: number;
}

const STATES = ['focused', 'left', 'away'] as const satisfies readonly (keyof Rest)[];

export async function rest(lab: Lab): Promise<Figure> {
  const { widget, timer, nothing } = CANDIDATES;
  const candidates: readonly Candidate[] = [...COMPARED, timer, nothing];
  const seconds = lab.isQuick ? 1 : REST_S;
  const found = await compare(lab, candidates, ROUNDS, (visitor) => measure(visitor, seconds));
  const of = (candidate: Candidate, state: keyof Rest) =>
    median(found(candidate).map((times) => times[state]));
  const more = (candidate: Candidate) =>
    Math.max(...STATES.map((state) => of(candidate, state) - of(nothing, state)));
  const most = more(widget);
  return {
    title: 'A page at rest with a message',
    how: `Main-thread time in each second (CDP Performance.getMetrics, TaskDuration) of ${seconds} seconds in which nothing happens, after an address was rejected: with the focus in the input, without it, and with the input scrolled out of sight. The last rows are pages with the same address: one with a timer alone, and one without a script.`,
    head: ['', 'with the focus', 'without', 'out of sight'],
    rows: candidates.map((candidate) => [
      candidate.title,
      ...STATES.map((state) => `${round(of(candidate, state))} ms`),
    ]),
    targets: [
      {
        text: `at most ${TARGET_MS} ms a second more than an untouched page`,
        found: `${round(most)} ms`,
        isMet: most <= TARGET_MS,
        because: `the widget looks at its inputs every 250 ms, which a timer that does nothing needs ${round(more(timer))} ms for, and the code of a look has gone cold after such a pause`,
      },
    ],
  };
}

async function measure(visitor: Visitor, seconds: number): Promise<Rest> {
  const { tab } = visitor;
  await visitor.load(1);
  await visitor.focus();
  await visitor.type('nobody@example.com');
  await pause(2_000);
  const perSecond = async () => (await visitor.busyMs(() => pause(seconds * 1_000))) / seconds;
  await visitor.atRest();
  const focused = await perSecond();
  await tab.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await visitor.atRest();
  const left = await perSecond();
  await tab.evaluate(() => {
    document.body.style.paddingBottom = '3000px';
    scrollTo(0, 2_500);
  });
  await visitor.atRest();
  return { focused, left, away: await perSecond() };
}

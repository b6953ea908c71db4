/** Measures when the request is sent: after the given delay, or at once when typing has clearly ended. */
import { type Figure, round, withSpread } from '../../report.ts';
import { quantile, spreadOf } from '../../statistics.ts';
import { ASKING, CANDIDATES } from '../candidates/index.ts';
import { compare } from '../compare.ts';
import { FRAME_MS, type Lab, pause, type Visitor } from '../lab.ts';
import { ancestorOf } from '../trace.ts';

const ROUNDS = 4;
const ADDRESS = 'jordan@example.com';
/** How long to wait for a request after the last action. */
const PATIENCE_MS = 1_500;

interface Asked {
  /** From the last key to the request, beyond the delay. */
  readonly beyondMs: number;
  readonly left: AfterDoing;
  readonly submitted: AfterDoing;
}

interface AfterDoing {
  /** Whether the request was sent in the same task as the event. */
  readonly isSameTask: boolean;
  readonly ms: number;
}

export async function delay(lab: Lab): Promise<Figure> {
  const asked = await compare(
    lab,
    ASKING,
    ROUNDS,
    async (visitor): Promise<Asked> => ({
      beyondMs: await whenWaiting(visitor),
      left: await whenDoing(visitor, 'Tab'),
      submitted: await whenDoing(visitor, 'Enter'),
    }),
  );
  const own = asked(CANDIDATES.widget);
  const beyond = own.map(({ beyondMs }) => beyondMs);
  const latest = quantile(beyond, 0.95);
  const earliest = Math.min(...beyond);
  const others = own
    .flatMap(({ left, submitted }) => [left, submitted])
    .filter(({ isSameTask }) => !isSameTask);
  const say = (all: readonly AfterDoing[]) =>
    all.every(({ isSameTask }) => isSameTask)
      ? 'the same task'
      : all.some(({ ms }) => Number.isFinite(ms))
        ? withSpread(spreadOf(all.map(({ ms }) => ms).filter(Number.isFinite)), 'ms')
        : 'no request';
  return {
    title: 'Last key → request',
    how: 'The time from the last keydown (its time stamp) to the start of the request (resource timing), without the delay. The delay is 500 ms. auto-check-element always waits 300 ms. Leaving the field is Tab right after the last key, and submitting is Enter. "The same task": the request starts in the task of that key (trace).',
    head: ['', 'beyond the delay', 'leaving the field', 'submitting'],
    rows: ASKING.map((candidate) => [
      candidate.title,
      withSpread(spreadOf(asked(candidate).map(({ beyondMs }) => beyondMs)), 'ms'),
      say(asked(candidate).map(({ left }) => left)),
      say(asked(candidate).map(({ submitted }) => submitted)),
    ]),
    targets: [
      {
        text: 'the delay, to within a frame',
        found: withSpread(spreadOf(beyond), 'ms'),
        isMet: earliest >= -1 && latest <= FRAME_MS,
        because: `one of twenty requests is sent ${round(latest)} ms or more after the delay, and a frame takes ${round(FRAME_MS)} ms`,
      },
      {
        text: 'leaving the field or submitting: the same task',
        found: others.length ? `${others.length} of ${own.length * 2} in another` : 'always',
        isMet: others.length === 0,
        because: 'the script waits before it sends the request',
      },
    ],
    notes: [`"No request": the candidate sent none within ${PATIENCE_MS} ms.`],
  };
}

async function whenWaiting(visitor: Visitor): Promise<number> {
  const { tab, candidate } = visitor;
  await visitor.load(1);
  await visitor.focus();
  await visitor.type(ADDRESS);
  await visitor.verdicts(1);
  const question = (await visitor.questions()).at(-1);
  const keyMs = await tab.evaluate(() => window.bench.keyAt);
  return question!.startMs - keyMs - candidate.delayMs!;
}

async function whenDoing(visitor: Visitor, key: string): Promise<AfterDoing> {
  await visitor.load(1);
  await visitor.focus();
  const { spans, timeOf } = await visitor.trace(async () => {
    await visitor.type(ADDRESS);
    await visitor.tab.press(key);
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline && !(await visitor.tab.evaluate(() => window.bench.verdicts)))
      await pause(20);
  });
  const doing = spans.filter(({ name, type }) => name === 'EventDispatch' && type === 'keydown').at(-1);
  const sentMs = (await visitor.questions())
    .map(({ startMs }) => timeOf(startMs))
    .find((ms) => ms >= (doing?.startMs ?? 0));
  if (!doing || sentMs === undefined) return { isSameTask: false, ms: Number.NaN };
  const task = ancestorOf(doing, ({ name }) => name === 'RunTask');
  return {
    isSameTask: task !== undefined && sentMs < task.endMs,
    ms: sentMs - doing.startMs,
  };
}

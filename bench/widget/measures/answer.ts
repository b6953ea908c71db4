/** Measures the time from the arrival of a response until it is visible. */
import { type Figure, round, withSpread } from '../../report.ts';
import { spreadOf } from '../../statistics.ts';
import { ASKING, CANDIDATES } from '../candidates/index.ts';
import { compare, type Measured } from '../compare.ts';
import { FRAME_MS, type Lab, type Visitor } from '../lab.ts';

const ROUNDS = 12;
/** A slow processor makes each step longer and easier to measure. */
const SLOW_ROUNDS = 5;
const ADDRESS = 'nobody@example.com';

interface Shown {
  /** From the arrival of the response to the event. */
  readonly eventMs: number;
  /** From the event to the frame that shows it. */
  readonly frameMs: number;
  /** Frames in between that do not show it. */
  readonly framesMissed: number;
}

export async function answer(lab: Lab): Promise<Figure> {
  const found: Measured<Shown>[] = [];
  for (const rate of lab.rates)
    found.push(
      await compare(lab, ASKING, rate === 1 ? ROUNDS : SLOW_ROUNDS, (visitor) => measure(visitor, rate)),
    );
  const quick = found[0]!;
  const own = quick(CANDIDATES.widget);
  const shown = spreadOf(own.map(({ frameMs }) => frameMs));
  const passed = own.filter(({ framesMissed }) => framesMissed > 0).length;
  return {
    title: 'Answer received → event and status on screen',
    how: `From the answer's last byte (resource timing) to the candidate's event, and to the first frame after it being handed over to be drawn (trace, Commit). Frames missed: those begun in between, the most of all times. The answer is a rejection.`,
    head: [
      '',
      ...lab.rates.flatMap((rate) => [`event, ${rate} ×`, `frame, ${rate} ×`, `frames missed, ${rate} ×`]),
    ],
    rows: ASKING.map((candidate) => [
      candidate.title,
      ...found.flatMap((shown) => [
        withSpread(spreadOf(shown(candidate).map(({ eventMs }) => eventMs)), 'ms'),
        withSpread(spreadOf(shown(candidate).map(({ frameMs }) => frameMs)), 'ms'),
        round(Math.max(...shown(candidate).map(({ framesMissed }) => framesMissed))),
      ]),
    ]),
    targets: [
      {
        text: 'within one frame',
        found: `event after ${withSpread(spreadOf(own.map(({ eventMs }) => eventMs)), 'ms')}, frame after ${withSpread(shown, 'ms')}`,
        isMet: shown.median <= FRAME_MS && passed < own.length / 2,
        because: `${passed} of ${own.length} times a frame without the status was made in between`,
      },
    ],
    notes: [
      `Frames come every ${round(FRAME_MS)} ms, whenever the answer does: one that begins in the very milliseconds between the answer and the event is made without the status.`,
      'auto-check-element and the floor show nothing themselves: theirs is the frame after the event, to which a page would add what it shows.',
    ],
  };
}

async function measure(visitor: Visitor, rate: number): Promise<Shown> {
  await visitor.load(1);
  await visitor.focus();
  const { spans, timeOf } = await visitor.trace(async () => {
    await visitor.type(ADDRESS);
    await visitor.slowDown(rate);
    await visitor.verdicts(1);
    await visitor.atRest();
  });
  await visitor.slowDown(1);
  const question = (await visitor.questions()).at(-1);
  const receivedMs = timeOf(question!.endMs);
  const eventMs = spans.filter(({ name }) => name === 'bench: verdict').at(-1)!.startMs;
  const frames = spans.filter(({ name }) => name === 'Commit');
  const shown = frames.find(({ startMs }) => startMs > eventMs)!;
  return {
    eventMs: eventMs - receivedMs,
    frameMs: shown.endMs - receivedMs,
    framesMissed: frames.filter(({ startMs }) => startMs > receivedMs && startMs < eventMs).length,
  };
}

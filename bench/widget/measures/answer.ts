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
    title: 'Response received → event and status on screen',
    how: `The time from the last byte of the response (resource timing) to the candidate's event, and to the first frame after the event (trace, Commit). "Frames missed" counts the frames that begin in between, at most. The response is a rejection.`,
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
        because: `in ${passed} of ${own.length} runs, a frame without the status came in between`,
      },
    ],
    notes: [
      `Frames come every ${round(FRAME_MS)} ms. A frame that begins between the response and the event does not show the status yet.`,
      'auto-check-element and the floor show nothing by themselves. Their frame is the first one after the event, in which a page could show a message.',
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

/** How long an answer that has arrived takes to be seen. */
import { type Figure, round, withSpread } from '../../report.ts';
import { quantile, spreadOf } from '../../statistics.ts';
import { ASKING, CANDIDATES } from '../candidates/index.ts';
import { compare, type Measured } from '../compare.ts';
import { FRAME_MS, type Lab, type Visitor } from '../lab.ts';

const ROUNDS = 5;
const ADDRESS = 'nobody@example.com';

interface Shown {
  /** From the answer's arrival to the event. */
  readonly eventMs: number;
  /** From there to the frame that has it being ready. */
  readonly frameMs: number;
  /** Frames that were made in between, without it. */
  readonly framesMissed: number;
}

export async function answer(lab: Lab): Promise<Figure> {
  const found: Measured<Shown>[] = [];
  for (const rate of lab.rates)
    found.push(await compare(lab, ASKING, ROUNDS, (visitor) => measure(visitor, rate)));
  const quick = found[0]!;
  const own = quick(CANDIDATES.widget);
  const late = own.filter(({ framesMissed }) => framesMissed > 0).length;
  const slowest = quantile(
    own.map(({ frameMs }) => frameMs),
    0.95,
  );
  return {
    title: 'Answer received → event and status on screen',
    how: `From the answer's last byte (resource timing) to the candidate's event, and to the first frame after it being handed over to be drawn (trace, Commit). The answer is a rejection. A frame is ${round(FRAME_MS)} ms.`,
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
        found: `${late} of ${own.length} answers missed the next frame; event after ${withSpread(spreadOf(own.map(({ eventMs }) => eventMs)), 'ms')}`,
        isMet: late === 0,
        because: `a frame without the status was made in between (95 of 100 answers are on screen within ${round(slowest)} ms)`,
      },
    ],
    notes: [
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

import { expect, it } from 'vitest';
import {
  ancestorOf,
  isOwn,
  MARK,
  mainThread,
  ownWork,
  startOf,
  type TraceEvent,
} from '../../bench/widget/trace.ts';

const event = (name: string, ts: number, dur: number, data: object = {}, tid = 1): TraceEvent => ({
  name,
  ph: dur ? 'X' : 'I',
  cat: 'devtools.timeline',
  pid: 7,
  tid,
  ts,
  dur,
  tdur: dur / 2,
  args: { data },
});
const OURS = { url: 'https://widget.shop.test/script.js?1' };

const TRACE = [
  event('FunctionCall', 1_200, 300, OURS),
  event(MARK, 0, 0),
  event('EventDispatch', 1_000, 1_000, { type: 'input' }),
  event('Layout', 1_300, 100),
  event('FunctionCall', 1_250, 200, OURS),
  event('FunctionCall', 1_600, 100, { url: 'https://widget.shop.test/' }),
  event('FunctionCall', 1_200, 300, OURS, 2),
];

it('nests the spans of the thread with the mark', () => {
  const { spans } = mainThread(TRACE, 0);
  expect(spans).toHaveLength(6);
  const layout = spans.find(({ name }) => name === 'Layout')!;
  expect(ancestorOf(layout, isOwn)?.startMs).toBe(1.25);
  expect(ancestorOf(layout, ({ name }) => name === 'EventDispatch')?.type).toBe('input');
});

it("counts only a script's own work, once, in processor time", () => {
  const [work, ...others] = ownWork(mainThread(TRACE, 0).spans);
  expect(work?.cpuMs).toBe(0.15);
  expect(others).toEqual([]);
});

it('counts a script’s delayed work as its wake, and all other work as its installation', () => {
  const timer = (name: string, ts: number, dur: number, timerId: number, timeout?: number) =>
    event(name, ts, dur, { timerId, timeout });
  const { spans } = mainThread(
    [
      event(MARK, 0, 0),
      event('EvaluateScript', 1_000, 2_000, OURS),
      timer('TimerInstall', 1_500, 0, 1, 250),
      timer('TimerInstall', 1_600, 0, 2, 0),
      timer('TimerFire', 4_000, 500, 2),
      event('FunctionCall', 4_100, 400, OURS),
      timer('TimerFire', 251_500, 1_000, 1),
      event('FunctionCall', 251_600, 800, OURS),
    ],
    0,
  );
  const { installMs, wakeMs } = startOf(spans);
  expect(installMs).toBeCloseTo(1.2);
  expect(wakeMs).toBeCloseTo(0.4);
});

it("converts the page's own times by the mark", () => {
  const { timeOf } = mainThread([event(MARK, 7_000, 0)], 3);
  expect(timeOf(4.5)).toBe(8.5);
});

it('fails without a mark of the page', () => {
  expect(() => mainThread(TRACE.slice(2), 0)).toThrow('Expected the page to have marked its thread');
});

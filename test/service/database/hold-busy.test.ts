import { beforeEach, expect, it, vi } from 'vitest';
import { holdBusy } from '../../../src/service/database/hold-busy.ts';

interface Item {
  readonly row: string;
  readonly number: number;
  isWanted?: boolean;
}

/** The calls in the order in which they came, and the rows that are locked. */
let ran: Item[] = [];
let locked: Set<string>;
let onHeld: Item[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  ran = [];
  locked = new Set();
  onHeld = [];
  return () => vi.useRealTimers();
});

const hold = () =>
  holdBusy(
    async (item: Item) => {
      ran.push(item);
      return locked.has(item.row) ? 'busy' : 'done';
    },
    {
      ...{ most: 3, longestMs: 9_000 },
      subjectOf: ({ row }) => row,
      isBusy: (result) => result === 'busy',
      isWanted: ({ isWanted = true }) => isWanted,
      onHeld: (item) => void onHeld.push(item),
    },
  );
const items = (row: string, count: number): Item[] =>
  Array.from({ length: count }, (_, number) => ({ row, number }));

it('runs a call about a free row once', async () => {
  const calls = hold();
  expect(await calls.run({ row: 'a', number: 0 })).toBe('done');
  expect(ran).toHaveLength(1);
  expect(calls.waiting()).toBe(0);
});

it('repeats a call about a locked row until the row is free, and holds up no other', async () => {
  const calls = hold();
  locked.add('a');
  const late = calls.run({ row: 'a', number: 0 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls.waiting('a')).toBe(1);
  expect(await calls.run({ row: 'b', number: 0 })).toBe('done');
  locked.clear();
  await vi.advanceTimersByTimeAsync(100);
  expect(await late).toBe('done');
  expect(calls.waiting()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it('tries with a few of the calls about a locked row, and runs all when it is free', async () => {
  const calls = hold();
  locked.add('a');
  const late = items('a', 50).map((item) => calls.run(item));
  await vi.advanceTimersByTimeAsync(0);
  expect(calls.waiting('a')).toBe(50);
  ran = [];
  await vi.advanceTimersToNextTimerAsync();
  expect(ran).toHaveLength(3);
  // A new one does not try by itself.
  late.push(calls.run({ row: 'a', number: 50 }));
  await vi.advanceTimersByTimeAsync(0);
  expect(ran).toHaveLength(3);
  locked.clear();
  await vi.advanceTimersToNextTimerAsync();
  expect(await Promise.all(late)).toEqual(late.map(() => 'done'));
  expect(calls.waiting()).toBe(0);
});

it('does not repeat a call that nobody waits for', async () => {
  const calls = hold();
  locked.add('a');
  const item: Item = { row: 'a', number: 0 };
  const late = calls.run(item);
  const refused = expect(late).rejects.toMatchObject({ code: '55P03' });
  await vi.advanceTimersByTimeAsync(0);
  item.isWanted = false;
  await vi.advanceTimersToNextTimerAsync();
  await refused;
  expect(ran).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('asks once in each try whether a call is wanted, because a second answer could differ', async () => {
  const calls = hold();
  locked.add('a');
  let looks = 0;
  const item = {
    ...{ row: 'a', number: 0 },
    get isWanted() {
      looks += 1;
      return looks === 1;
    },
  };
  const refused = vi.fn();
  void calls.run(item).catch(refused);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([looks, refused.mock.calls.length, calls.waiting()]).toEqual([2, 1, 0]);
});

it('gives up when the row stays locked', async () => {
  const calls = hold();
  locked.add('a');
  const refused = expect(calls.run({ row: 'a', number: 0 })).rejects.toMatchObject({ code: '55P03' });
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
  expect(onHeld.length).toBeGreaterThan(1);
  expect(calls.waiting()).toBe(0);
});

it('lets the others find out when a call fails', async () => {
  let isAway = false;
  const call = async (_item: Item) => {
    if (isAway) throw new Error('away');
    return 'busy';
  };
  const isBusy = (result: string) => result === 'busy';
  const calls = holdBusy(call, { most: 1, subjectOf: ({ row }) => row, isBusy });
  const failed = items('a', 3).map((item) => expect(calls.run(item)).rejects.toThrow('away'));
  await vi.advanceTimersByTimeAsync(0);
  isAway = true;
  await vi.advanceTimersToNextTimerAsync();
  await Promise.all(failed);
  expect(vi.getTimerCount()).toBe(0);
});

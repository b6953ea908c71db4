import { expect, it, vi } from 'vitest';
import { createSuspectTurns } from '../../../src/service/jobs/suspect-turns.ts';

/** Turns over a list of suspects, each of which takes so long, on a clock of the test. */
function world(suspects: number, takesMs = 1_000) {
  const state = { now: 0, left: suspects, ran: 0, resumed: 0, errors: [] as unknown[] };
  const atWork = new Set<Promise<void>>();
  const turns = createSuspectTurns({
    lease: { runSuspect: (run) => run() },
    atWork,
    async runNext() {
      if (state.left === 0) return false;
      state.left -= 1;
      state.ran += 1;
      state.now += takesMs;
      return true;
    },
    resume: () => {
      state.resumed += 1;
    },
    onError: (error) => state.errors.push(error),
    now: () => state.now,
  });
  return { state, atWork, turns, over: () => vi.waitUntil(() => turns.isOpen()) };
}

it('waits until nothing else is at work, and lets nothing begin before its end', async () => {
  const { state, atWork, turns, over } = world(2);
  let end!: () => void;
  atWork.add(new Promise<void>((resolve) => (end = resolve)));
  turns.begin(true);
  await new Promise(setImmediate);
  expect([turns.isOpen(), state.ran]).toEqual([false, 0]);
  end();
  await over();
  expect(state).toMatchObject({ ran: 2, resumed: 1 });
});

it('ends a turn after five seconds, and rests for twice as long', async () => {
  const { state, turns, over } = world(20);
  turns.begin(true);
  await over();
  expect(state.ran).toBe(5);
  state.now += 9_999;
  turns.begin(true);
  expect(turns.isOpen()).toBe(true);
  state.now += 1;
  turns.begin(true);
  expect(turns.isOpen()).toBe(false);
  await over();
  expect(state.ran).toBe(10);
});

it('needs no rest if no other work waits', async () => {
  const { state, turns, over } = world(20);
  for (const ran of [5, 10]) {
    turns.begin(false);
    await over();
    expect(state.ran).toBe(ran);
  }
});

it('lets other work begin again after an error', async () => {
  const errors: unknown[] = [];
  const resume = vi.fn();
  const turns = createSuspectTurns({
    lease: { runSuspect: () => Promise.reject(new Error('away')) },
    atWork: new Set(),
    runNext: async () => true,
    resume,
    onError: (error) => errors.push(error),
  });
  turns.begin(true);
  await vi.waitUntil(() => turns.isOpen());
  expect([errors.length, resume.mock.calls.length]).toEqual([1, 1]);
});

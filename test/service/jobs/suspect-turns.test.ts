import { describe, expect, it, vi } from 'vitest';
import { createSuspectTurns, type SuspectTurnsOptions } from '../../../src/service/jobs/suspect-turns.ts';
import { withResolvers } from '../../with-resolvers.ts';

/** Longer than a slow machine takes. */
const LONG_MS = 1e9;

/** Turns over a list of suspects, each of which takes so long, on a clock of the test. */
function world(suspects: number, takesMs = 1_000) {
  const state = { now: 0, left: suspects, ran: 0, resumed: 0, errors: [] as unknown[] };
  const atWork = new Set<Promise<void>>();
  const turns = createSuspectTurns({
    lease: { runSuspect: (run) => run() },
    atWork,
    longMs: LONG_MS,
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

describe('what waits for a silent server', () => {
  /** Turns whose only suspect ends when the test says so. */
  function silent(lease: SuspectTurnsOptions['lease'] = { runSuspect: (run) => run() }) {
    const state = { ran: 0, end: () => {} };
    const atWork = new Set<Promise<void>>();
    const turns = createSuspectTurns({
      ...{ lease, atWork, longMs: 1, resume() {}, onError() {} },
      runNext() {
        state.ran += 1;
        return new Promise<boolean>((resolve) => {
          state.end = () => resolve(false);
        });
      },
    });
    return { state, atWork, turns, over: () => vi.waitUntil(() => turns.isOpen()) };
  }

  it('holds up no other work, and no second one begins beside it', async () => {
    const { state, turns, over } = silent();
    turns.begin(false);
    await over();
    turns.begin(false);
    expect([turns.isOpen(), state.ran]).toEqual([true, 1]);
    state.end();
    await vi.waitUntil(() => {
      turns.begin(false);
      return state.ran === 2;
    });
  });

  it('holds up no turn', async () => {
    const { state, atWork, turns } = silent();
    atWork.add(new Promise(() => {}));
    turns.begin(true);
    await vi.waitUntil(() => state.ran === 1);
  });

  it('of another kind lets a suspect begin in a later turn, and not between two', async () => {
    const { promise: first, resolve: go } = withResolvers();
    const { state, turns, over } = silent({ runSuspect: (run) => first.then(run) });
    turns.begin(false);
    await over();
    go();
    await new Promise(setImmediate);
    expect(state.ran).toBe(0);
    turns.begin(false);
    await vi.waitUntil(() => state.ran === 1);
  });
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

it('says that a claim is on its way, also when the turn is over', async () => {
  let claimed = () => {};
  const turns = createSuspectTurns({
    ...{ lease: { runSuspect: (run) => run() }, atWork: new Set(), longMs: 1, resume() {}, onError() {} },
    runNext: (onClaimed) => {
      claimed = onClaimed;
      return new Promise(() => {});
    },
  });
  turns.begin(false);
  await vi.waitUntil(() => turns.isOpen());
  expect(turns.isClaiming()).toBe(true);
  claimed();
  expect(turns.isClaiming()).toBe(false);
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

import { describe, expect, it } from 'vitest';
import { createTurns, type Lane, type Turns } from '../../../../src/service/people/sign-in/password-turns.ts';

/** A task that a test ends. */
function heldTask() {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, ended };
}

const unknown = (id: string): Lane => ({ id, isKnown: false });
const known = (id: string): Lane => ({ id, isKnown: true });

/** Sends tasks while one runs, which holds the only turn. Then all run, one after the other. */
async function order(inTurn: Turns, lanes: readonly Lane[]) {
  const { end, ended } = heldTask();
  const held = inTurn(unknown('held'), () => ended);
  const run: string[] = [];
  const results = lanes.map((lane) => inTurn(lane, async () => void run.push(lane.id)));
  const busy: string[] = [];
  results.forEach(
    (result, index) => void result.then((said) => said === 'busy' && busy.push(lanes[index]!.id)),
  );
  end();
  await held;
  await Promise.all(results);
  return { run, busy };
}

const of = (lane: Lane, times: number): Lane[] => Array(times).fill(lane);

it('runs a few tasks at once, lets some of a lane wait in their order, and refuses more at once', async () => {
  const inTurn = createTurns(2, 2);
  const begun: number[] = [];
  const tasks = Array.from({ length: 4 }, heldTask);
  const results = tasks.map(({ ended }, index) =>
    inTurn(unknown('one'), async () => {
      begun.push(index);
      await ended;
      return index;
    }),
  );
  expect(begun).toEqual([0, 1]);
  expect(await inTurn(unknown('one'), async () => 9)).toBe('busy');
  tasks[1]!.end();
  expect(await results[1]).toBe(1);
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of tasks) end();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
  expect(await inTurn(unknown('one'), async () => 5)).toBe(5);
});

it('gives the turn of a task that fails to the next one', async () => {
  const inTurn = createTurns(1, 1);
  const failing = inTurn(unknown('one'), () => Promise.reject(new Error('broken')));
  const next = inTurn(unknown('one'), async () => 'next');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});

describe('a flood', () => {
  it('of one lane delays another lane by one task', async () => {
    const { run } = await order(createTurns(1, 50), [...of(unknown('flood'), 40), unknown('person')]);
    expect(run.indexOf('person')).toBe(1);
  });

  it('of many lanes delays a known one by one task', async () => {
    const flood = Array.from({ length: 40 }, (_, index) => unknown(`flood ${index}`));
    const { run } = await order(createTurns(1, 50), [...flood, known('person'), known('person')]);
    expect(run.indexOf('person')).toBeLessThan(2);
    expect(run.lastIndexOf('person')).toBeLessThan(4);
  });

  it('of a known lane delays an unknown one, and another known one, by a few tasks', async () => {
    const lanes = [...of(known('flood'), 40), unknown('person'), known('other')];
    const { run } = await order(createTurns(1, 50), lanes);
    expect(run.indexOf('person')).toBeLessThan(3);
    expect(run.indexOf('other')).toBeLessThan(4);
  });

  it('gives way when no more can wait', async () => {
    const lanes = [...of(unknown('flood'), 4), unknown('one'), unknown('two'), unknown('flood')];
    const { run, busy } = await order(createTurns(1, 4), lanes);
    expect(run).toEqual(['flood', 'one', 'two', 'flood']);
    expect(busy).toEqual(['flood', 'flood', 'flood']);
  });

  it('of many lanes gives way to a known one, and never the other way round', async () => {
    const flood = Array.from({ length: 8 }, (_, index) => unknown(`flood ${index}`));
    const few = flood.slice(0, 4);
    const { run, busy } = await order(createTurns(1, 4), [...few, known('person'), ...flood.slice(4)]);
    expect(run).toContain('person');
    expect(busy).toHaveLength(5);
    expect(busy).not.toContain('person');
  });

  it('of a known lane gives way to another known one', async () => {
    const { busy } = await order(createTurns(1, 4), [...of(known('flood'), 6), known('person')]);
    expect(busy).toEqual(['flood', 'flood', 'flood']);
  });
});

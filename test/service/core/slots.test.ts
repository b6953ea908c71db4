import { describe, expect, it } from 'vitest';
import { createSlots, type Owner } from '../../../src/service/core/slots.ts';
import { withResolvers } from '../../with-resolvers.ts';

/** A task that a test ends. */
function heldTask() {
  const { promise: ended, resolve: end } = withResolvers();
  return { end, ended };
}

const unknown = (id: string): Owner => ({ id, isKnown: false });
const known = (id: string): Owner => ({ id, isKnown: true });

/** Sends tasks while one runs, which holds the only slot. Then all run, one after the other. */
async function order(mostWaiting: number, owners: readonly Owner[]) {
  const slots = createSlots({ atOnce: 1, mostWaiting });
  const { end, ended } = heldTask();
  const held = slots.run(unknown('held'), () => ended);
  const run: string[] = [];
  const results = owners.map((owner) => slots.run(owner, async () => void run.push(owner.id)));
  const busy: string[] = [];
  for (const [index, result] of results.entries())
    void result.then((said) => said === 'busy' && busy.push(owners[index]!.id));
  end();
  await held;
  await Promise.all(results);
  return { run, busy };
}

const of = (owner: Owner, times: number): Owner[] => Array(times).fill(owner);

it('runs a few tasks at once, lets some of an owner wait in their order, and refuses more at once', async () => {
  const slots = createSlots({ atOnce: 2, mostWaiting: 2 });
  const begun: number[] = [];
  const tasks = Array.from({ length: 4 }, heldTask);
  const results = tasks.map(({ ended }, index) =>
    slots.run(unknown('one'), async () => {
      begun.push(index);
      await ended;
      return index;
    }),
  );
  expect(begun).toEqual([0, 1]);
  expect(await slots.run(unknown('one'), async () => 9)).toBe('busy');
  tasks[1]!.end();
  expect(await results[1]).toBe(1);
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of tasks) end();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
  expect(await slots.run(unknown('one'), async () => 5)).toBe(5);
});

it('gives the slot of a task that fails to the next one', async () => {
  const slots = createSlots({ atOnce: 1, mostWaiting: 1 });
  const failing = slots.run(unknown('one'), () => Promise.reject(new Error('broken')));
  const next = slots.run(unknown('one'), async () => 'next');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});

describe('a flood', () => {
  it('of one owner delays another by one task', async () => {
    const { run } = await order(50, [...of(unknown('flood'), 40), unknown('person')]);
    expect(run.indexOf('person')).toBe(1);
  });

  it('of many owners delays a known one by one task', async () => {
    const flood = Array.from({ length: 40 }, (_, index) => unknown(`flood ${index}`));
    const { run } = await order(50, [...flood, known('person'), known('person')]);
    expect(run.indexOf('person')).toBeLessThan(2);
    expect(run.lastIndexOf('person')).toBeLessThan(4);
  });

  it('of a known owner delays an unknown one, and another known one, by a few tasks', async () => {
    const owners = [...of(known('flood'), 40), unknown('person'), known('other')];
    const { run } = await order(50, owners);
    expect(run.indexOf('person')).toBeLessThan(3);
    expect(run.indexOf('other')).toBeLessThan(4);
  });

  it('gives way when no more can wait', async () => {
    const owners = [...of(unknown('flood'), 4), unknown('one'), unknown('two'), unknown('flood')];
    const { run, busy } = await order(4, owners);
    expect(run).toEqual(['flood', 'one', 'two', 'flood']);
    expect(busy).toEqual(['flood', 'flood', 'flood']);
  });

  it('of many owners gives way to a known one, and never the other way round', async () => {
    const flood = Array.from({ length: 8 }, (_, index) => unknown(`flood ${index}`));
    const few = flood.slice(0, 4);
    const { run, busy } = await order(4, [...few, known('person'), ...flood.slice(4)]);
    expect(run).toContain('person');
    expect(busy).toHaveLength(5);
    expect(busy).not.toContain('person');
  });

  it('of a known owner gives way to another known one', async () => {
    const { busy } = await order(4, [...of(known('flood'), 6), known('person')]);
    expect(busy).toEqual(['flood', 'flood', 'flood']);
  });
});

it('gives no owner more than its own, and all together no more than there are', () => {
  const slots = createSlots({ atOnce: 3, ofOne: 2 });
  const first = slots.take('a');
  expect([first, slots.take('a')]).not.toContain(undefined);
  expect(slots.take('a')).toBeUndefined();
  const other = slots.take('b');
  expect(slots.take('c')).toBeUndefined();
  first?.();
  expect(slots.take('c')).toBeDefined();
  expect(slots.take('a')).toBeUndefined();
  other?.();
  expect(slots.take('a')).toBeDefined();
});

it('lets an owner with all its slots wait, and another pass it', async () => {
  const slots = createSlots({ atOnce: 2, ofOne: 1 });
  const begun: string[] = [];
  const wait = async (id: string) => {
    const release = await slots.wait({ id });
    begun.push(id);
    return release!;
  };
  const first = wait('a');
  const second = wait('a');
  await wait('b');
  expect(begun).toEqual(['a', 'b']);
  (await first)();
  await second;
  expect(begun).toEqual(['a', 'b', 'a']);
});

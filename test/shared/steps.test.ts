import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { atOnce, inSteps, nextTurn, type Steps } from '../../src/shared/steps.ts';

function* count(steps: number, done: string[], name = ''): Steps<string> {
  for (let step = 1; step <= steps; step += 1) {
    done.push(`${name}${step}`);
    yield;
  }
  return `${name} has ended`;
}

it('runs all steps at once', () => {
  const done: string[] = [];
  expect(atOnce(count(3, done))).toBe(' has ended');
  expect(done).toEqual(['1', '2', '3']);
});

it('runs one step in each turn of the event loop, those of several callers in order', async () => {
  const done: string[] = [];
  const both = Promise.all(['a', 'b'].map((name) => inSteps(count(3, done, name))));
  const perTurn: number[] = [];
  while (done.length < 6) {
    const before = done.length;
    await turn();
    perTurn.push(done.length - before);
  }
  expect(await both).toEqual(['a has ended', 'b has ended']);
  expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  expect(Math.max(...perTurn)).toBe(1);
});

it('fails as a step does, and goes on with others', async () => {
  const fail = function* (): Steps<void> {
    yield;
    throw new Error('in a step');
  };
  const failing = inSteps(fail());
  const other = inSteps(count(2, []));
  await expect(failing).rejects.toThrow('in a step');
  expect(await other).toBe(' has ended');
  await nextTurn();
});

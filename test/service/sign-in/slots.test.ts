import { expect, it } from 'vitest';
import { createSlots } from '../../../src/service/sign-in/slots.ts';

/** A task that a test ends. */
function heldTask() {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, ended };
}

it('runs a few tasks at once, lets some wait in their order, and refuses more at once', async () => {
  const inTurn = createSlots(2, 2);
  const begun: number[] = [];
  const tasks = Array.from({ length: 4 }, heldTask);
  const results = tasks.map(({ ended }, index) =>
    inTurn(async () => {
      begun.push(index);
      await ended;
      return index;
    }),
  );
  expect(begun).toEqual([0, 1]);
  expect(await inTurn(async () => 9)).toBe('busy');
  tasks[1]!.end();
  expect(await results[1]).toBe(1);
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of tasks) end();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
  expect(await inTurn(async () => 5)).toBe(5);
});

it('gives the slot of a task that fails to the next one', async () => {
  const inTurn = createSlots(1, 1);
  const failing = inTurn(() => Promise.reject(new Error('broken')));
  const next = inTurn(async () => 'next');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});

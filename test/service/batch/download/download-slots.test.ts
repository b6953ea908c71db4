import { expect, it } from 'vitest';
import { createSlots } from '../../../../src/service/batch/download/download-slots.ts';

it('gives no account more than its own, and all together no more than there are', () => {
  const slots = createSlots(3, 2);
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

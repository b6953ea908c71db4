import { expect, it } from 'vitest';
import { titleOf } from '../../../src/service/dashboard/titles.ts';

it('tells pages apart by their filter and their place', () => {
  expect(titleOf('Batches', [])).toBe('Batches');
  expect(titleOf('Batches', [undefined, false, ''])).toBe('Batches');
  expect(titleOf('Batches', ['paused', false, 'older'])).toBe('Batches: paused, older');
});

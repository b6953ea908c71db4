import { expect, it } from 'vitest';
import { durationInWords } from '../../../src/service/pages/waiting-time.ts';

it.each([
  [1, '1 second'],
  [2, '2 seconds'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [61, '2 minutes'],
  [900, '15 minutes'],
])('says %d seconds as %s', (seconds, words) => {
  expect(durationInWords(seconds)).toBe(words);
});

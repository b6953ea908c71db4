/** What evidence quotes of a reply. */
import { expect, it } from 'vitest';
import { forTrace } from '../../../src/engine/replies/trace.ts';

it.each([
  ['5.1.1 <ada@example.org>: Recipient rejected', '5.1.1 <[address]>: Recipient rejected'],
  ['5.1.1 "ada lovelace"@example.org unknown', '5.1.1 [address] unknown'],
  ['unknown: ada@example.org, from probe@verify.example.', 'unknown: [address], from [address]'],
  ['jürgen@bücher.example is not here', '[address] is not here'],
  ['see https://example.org/help', 'see https://example.org/help'],
])('takes addresses out of %j', (text, shown) => {
  expect(forTrace(text)).toBe(shown);
});

it('replaces what a terminal would obey', () => {
  expect(forTrace('no\u0000\u001b[31m such\r\nuser \u202eder')).toBe('no [31m such user  der');
});

it('stays quick with a text that is made to be slow', () => {
  const before = performance.now();
  forTrace('"'.repeat(60_000));
  forTrace('a'.repeat(60_000));
  forTrace(`${'"a'.repeat(30_000)}@`);
  expect(performance.now() - before).toBeLessThan(1000);
});

import { expect, it } from 'vitest';
import { quote, toLine, UsageError } from '../../../src/service/core/usage-error.ts';

it('makes one line of at most 300 characters', () => {
  expect(toLine('Expected a,\r\n got b.\u0000 ')).toBe('Expected a,  got b.');
  expect(toLine('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`);
  expect(toLine('x'.repeat(300))).toBe('x'.repeat(300));
});

it('hides keys', () => {
  expect(new UsageError('Expected a, got live_0123456789.').message).toBe('Expected a, got live_….');
});

it('hides the password of a URL', () => {
  expect(quote('postgres://ada:secret@example.com/db')).toBe('"postgres://…@example.com/db"');
});

it('quotes a value and cuts it after 60 characters', () => {
  expect(quote('a"b\n')).toBe('"a\\"b\\n"');
  expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`);
});

import { expect, it } from 'vitest';
import { addressIn, withLink } from '../../../../src/service/lists/reading/address-in.ts';

it.each([
  ['white space', ' ada@example.com\u00a0'],
  ['a name', 'Ada <ada@example.com>'],
  ['a link', 'mailto:ada@example.com?subject=Hi'],
  ['an invisible space', '\u200bada@exam\u200bple.com'],
  ['a soft hyphen', 'ada@exam\u00adple.com'],
  ['a byte order mark', '\ufeffada@example.com'],
  ['a mark of direction', '\u202aada@example.com\u202c'],
  ['a byte of 0', 'ada@example.com\0'],
  ['a joiner', 'ada@example\u200d.com'],
  ['a dot at the end', 'ada@example.com.'],
  ['a dot at the end of a link', '<mailto:ada@example.com>'],
])('finds the address beside %s', (_what, cell) => {
  expect(addressIn(cell)).toBe('ada@example.com');
});

it('keeps joiners in words of scripts that need them, and dots of other texts', () => {
  expect(addressIn('नमस्\u200dते@example.com')).toBe('नमस्\u200dते@example.com');
  expect(addressIn('etc.')).toBe('etc.');
});

it.each([
  ['Write to Ada', 'mailto:ada@example.com', 'Write to Ada <ada@example.com>'],
  ['', 'mailto:ada%40example.com?subject=Hi', 'ada@example.com'],
  ['<Ada>', 'MAILTO:ada@example.com', 'Ada <ada@example.com>'],
  ['ada@example.com', 'mailto:other@example.com', 'ada@example.com'],
  ['Ada', 'https://example.com/', 'Ada'],
  ['Ada', 'mailto:%zz', 'Ada'],
])('makes of the cell %j with the link %s the text %j', (text, link, made) => {
  expect(withLink(text, link)).toBe(made);
});

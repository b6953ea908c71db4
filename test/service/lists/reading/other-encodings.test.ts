/** The encodings that are offered for a text whose own one is a guess. */
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { decode } from '../../../../src/service/lists/reading/decode-text.ts';

const encodingsOf = (text: string, codec: string, chosen?: string) =>
  decode(iconv.encode(text, codec), chosen).encodings;
const codecsOf = (...args: Parameters<typeof encodingsOf>) => encodingsOf(...args).map(({ codec }) => codec);

it('offers those that read every letter, each with another text', () => {
  const [used, ...others] = codecsOf('Name,Email\nMüller,m@example.com\n', 'windows-1252');
  expect(used).toBe('windows-1252');
  // Turkish and Baltic read ü alike, and no letter of Shift_JIS begins like this.
  expect(others).toContain('windows-1251');
  expect(others).not.toContain('windows-1254');
  expect(others).not.toContain('EUC-JP');
});

it('shows the rows whose letters tell most, without their addresses', () => {
  const text = 'a\nä\nä\näö\nMüller;ä@example.com;Größe ß;x\nñ é è\n';
  const [chosen] = encodingsOf(text, 'windows-1252', 'windows-1252');
  expect(chosen!.rows).toEqual(['ñ é è', 'Müller, Größe ß', 'ä']);
});

it('puts the chosen one first', () => {
  expect(codecsOf('Ωρα,o@example.com', 'windows-1253', 'windows-1253')[0]).toBe('windows-1253');
});

it.each([
  ['ASCII', 'Name,Email\nAda,ada@example.com', 'ascii'],
  ['UTF-8', 'Zoë,z@example.com', 'utf8'],
  ['UTF-16', 'Zoë,z@example.com', 'utf16le'],
])('offers none for %s', (_name, text, codec) => {
  expect(encodingsOf(text, codec)).toEqual([]);
});

it('cuts a long row', () => {
  const text = `${'ü'.repeat(200)};m@example.com`;
  const [first] = encodingsOf(text, 'windows-1252', 'windows-1252');
  expect(first!.rows).toEqual([`${'ü'.repeat(79)}…`]);
});

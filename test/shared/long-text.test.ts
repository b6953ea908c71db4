import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongText } from '../../src/shared/long-text.ts';
import { STEP_CHARACTERS } from '../../src/shared/steps.ts';

const PIECES = fc.array(
  fc.string({ unit: fc.constantFrom('a', ',', ' ', '\n', 'é', '\u{1f600}'), maxLength: 6 }),
);

describe('does as the text itself does, whatever its pieces:', () => {
  const check = (same: (long: LongText, text: string, from: number, to: number) => void) =>
    fc.assert(
      fc.property(PIECES, fc.nat(20), fc.nat(20), (pieces, from, length) => {
        const text = pieces.join('');
        same(new LongText(pieces), text, Math.min(from, text.length), Math.min(from + length, text.length));
      }),
    );

  it('slice', () => {
    check((long, text, from, to) => expect(long.slice(from, to)).toBe(text.slice(from, to)));
    check((long, text, from) => expect(long.slice(from)).toBe(text.slice(from)));
  });

  it('indexOf', () =>
    check((long, text, from) => expect(long.indexOf(',', from)).toBe(text.indexOf(',', from))));

  it('split', () => check((long, text) => expect([...long.split(',')]).toEqual(text.split(','))));

  it('trim', () => check((long, text) => expect(long.trim()).toBe(text.trim())));

  it('equals', () => {
    check((long, text) => expect(long.equals(new LongText([...text]))).toBe(true));
    check((long, text) => expect(long.equals(new LongText([text, 'x']))).toBe(false));
    check((_, text) => expect(new LongText([text, 'x']).equals(new LongText([text, 'y']))).toBe(false));
  });
});

it('gives a part that is longer than a step in pieces', () => {
  const piece = 'x'.repeat(STEP_CHARACTERS);
  const long = new LongText([piece, piece, piece]);
  expect(long.part(1, STEP_CHARACTERS + 1)).toBe(piece);
  const part = long.part(1) as LongText;
  expect(part.pieces.map(({ length }) => length)).toEqual([
    STEP_CHARACTERS - 1,
    STEP_CHARACTERS,
    STEP_CHARACTERS,
  ]);
});

import { expect, it } from 'vitest';
import { Blocks } from '../../../src/service/http/blocks.ts';

const KIB = 1024;

it('puts a body together that arrives a byte at a time, so that its pieces do not fill the memory', () => {
  const blocks = new Blocks();
  const body = Buffer.from(Array.from({ length: 150 * KIB }, (_, at) => at % 251));
  for (const byte of body) blocks.add(Buffer.of(byte));
  expect(blocks.pieces.map(({ length }) => length)).toEqual([64 * KIB, 64 * KIB, 22 * KIB]);
  expect(Buffer.concat(blocks.pieces).equals(body)).toBe(true);
});

it('keeps the order of small and large pieces, and copies no large one', () => {
  const large = Buffer.alloc(100 * KIB, 'l');
  const alone = new Blocks();
  alone.add(large);
  expect(alone.pieces[0]).toBe(large);
  const blocks = new Blocks();
  const sent = [large, Buffer.from('a'), large, Buffer.from('bc'), large];
  for (const piece of sent) blocks.add(piece);
  expect(Buffer.concat(blocks.pieces).equals(Buffer.concat(sent))).toBe(true);
});

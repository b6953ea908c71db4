import { expect, it } from 'vitest';
import { CountedTexts, hashText } from '../../../../src/service/batch/entries/counted-texts.ts';

const hashOf = (text: string, key: readonly [number, number] = [0x03020100, 0x07060504]) => {
  const hash = new Int32Array(4);
  hashText(text, key, hash);
  return [...hash];
};

it('gives each distinct text the next place, and counts how often it comes', () => {
  const texts = new CountedTexts();
  expect(['a', 'b', 'a', '', 'c', 'a', ''].map((text) => texts.add(text))).toEqual([0, 1, 0, 2, 3, 0, 2]);
  expect([0, 1, 2, 3].map((place) => texts.countOf(place))).toEqual([3, 1, 2, 1]);
  expect(texts.size).toBe(4);
});

it('tells 200,000 texts apart, and finds each again, however often it has grown', () => {
  const texts = new CountedTexts();
  const text = (number: number) => `user${number}@company${number % 977}.example`;
  for (let number = 0; number < 200_000; number += 1)
    if (texts.add(text(number)) !== number) expect(number).toBe(-1);
  for (let number = 0; number < 200_000; number += 1)
    if (texts.add(text(number)) !== number) expect(number).toBe(-1);
  expect([texts.size, texts.countOf(0), texts.countOf(199_999)]).toEqual([200_000, 2, 2]);
});

it('begins as the reference of HalfSipHash-2-4 does', () => {
  const bytes = Buffer.alloc(8);
  for (const [index, word] of hashOf('').slice(0, 2).entries()) bytes.writeInt32LE(word, index * 4);
  expect(bytes.toString('hex')).toBe('218d1f59b9b83cc8');
});

it('has another hash for each length, each order, each character and each key', () => {
  const texts = ['', '\0', '\0\0', 'a', 'a\0', 'ab', 'ba', 'aa', 'aaa', 'é', '\u{1f600}', '\ud83d'];
  const hashes = texts.map((text) => hashOf(text).join());
  expect(new Set([...hashes, hashOf('a', [1, 2]).join()]).size).toBe(texts.length + 1);
});

import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isCommonPassword } from '../../../../src/service/people/passwords/common-passwords.ts';
import { makeCommonPasswords } from '../../../../src/service/people/passwords/make-common-passwords.mjs';
import { inLong } from '../../../in-long.ts';

const FILE = 'src/service/people/passwords/common-passwords.txt';

describe('the list of common passwords', () => {
  // From the first to the last one.
  it.each(['password', '12345678', 'trustno1', 'crazyman', '18031979', 'swindler', 'treetrun', 'smokey24'])(
    'has %j',
    async (password) => {
      expect(await isCommonPassword(password)).toBe(true);
    },
  );

  it('has each in small and capital letters', async () => {
    expect(await isCommonPassword('PassWord')).toBe(true);
  });

  it.each([
    '',
    'correct horse battery',
    'kq8v-tm2x-9fhd',
    'smokey18',
    'password ',
    'pass\0word',
    'ÿ'.repeat(1000),
  ])('does not have %j', async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  });

  it('has 100,000, each once, and fits into a repository', async () => {
    const text = readFileSync(FILE, 'utf8');
    expect(text.length).toBeLessThan(430_000);
    const columns = await promisify(brotliDecompress)(Buffer.from(text, 'base64'));
    expect(columns.length).toBe(400_000);
    const isZero = (row: number) => [0, 1, 2, 3].every((column) => columns[column * 100_000 + row] === 0);
    expect(Array.from({ length: 100_000 }, (_, row) => row).filter(isZero)).toEqual([]);
  });

  inLong('is what the tool makes of its source', () => {
    expect(makeCommonPasswords()).toBe(readFileSync(FILE, 'utf8'));
  });
});

/** Files that an operator names, also by mistake. */
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readTextFile } from '../../../src/service/core/text-file.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const folder = makeTemporaryFolder('text-file-');
const path = join(folder, 'file');
afterAll(() => rmSync(folder, { recursive: true }));

it('reads a text of several chunks', () => {
  const text = 'ä'.repeat(100_000);
  writeFileSync(path, text);
  expect(readTextFile(path)).toBe(text);
});

const codeOf = (file: string) => {
  try {
    return readTextFile(file).length;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

it('stops at 16 MiB, because a device such as /dev/zero has no end', () => {
  writeFileSync(path, '');
  truncateSync(path, 16 * 1024 * 1024);
  expect(readTextFile(path).length).toBe(16 * 1024 * 1024);
  truncateSync(path, 16 * 1024 * 1024 + 1);
  expect(codeOf(path)).toBe('EFBIG');
  expect(codeOf('/dev/zero')).toBe('EFBIG');
  expect(codeOf('/dev')).toBe('EISDIR');
});

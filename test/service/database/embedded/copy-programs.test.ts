import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { copyPrograms } from '../../../../src/service/database/embedded/copy-programs.ts';
import { freePath } from '../../support/room.ts';

const FILES = ['bin/initdb', 'bin/postgres', 'lib/libpq.so'];

let [native, home] = ['', ''];
beforeEach(() => {
  const folder = freePath();
  [native, home] = [join(folder, 'package/native'), join(folder, 'home')];
  for (const path of ['bin', 'lib']) mkdirSync(join(native, path), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(native, '../package.json'), '{"version":"18.4.0"}');
  for (const file of FILES) writeFileSync(join(native, file), file);
});

/** Copies, and tells which file the first program is. */
async function copy() {
  const folder = await copyPrograms(native, home, 'linux');
  return {
    folder,
    inode: () => statSync(join(folder, FILES[0]!)).ino,
    first: statSync(join(folder, FILES[0]!)).ino,
  };
}

it('leaves a copy in place that another start has made meanwhile and runs already', async () => {
  const begun: ReturnType<typeof copy>[] = [];
  // Each begins one turn of the loop later, so that some are still copying when the first are done.
  for (let index = 0; index < 40; index += 1) {
    begun.push(copy());
    await setImmediate();
  }
  const copies = await Promise.all(begun);
  for (const { first, inode } of copies) expect(inode()).toBe(first);
  expect(new Set(copies.map(({ folder }) => folder)).size).toBe(1);
});

it('replaces a copy that lacks a part', async () => {
  const { folder } = await copy();
  writeFileSync(join(folder, 'lib/libpq.so'), '');
  expect((await copy()).folder).toBe(folder);
  expect(statSync(join(folder, 'lib/libpq.so')).size).toBe('lib/libpq.so'.length);
});

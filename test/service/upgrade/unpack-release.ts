/** The program of the latest release, which `make-fixture.mjs` has packed. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

export const HERE = 'test/service/upgrade';
export const PROGRAMS = readdirSync(HERE).flatMap((name) => /^(.+)\.program\.tar\.br$/.exec(name)?.[1] ?? []);

/** The widget and the pages are those of this version: the release only has to find them. @returns its folder */
export function unpackRelease(release: string): string {
  const folder = makeTemporaryFolder('evw-release-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'dist'));
  const archive = brotliDecompressSync(readFileSync(`${HERE}/${release}.program.tar.br`));
  execFileSync('tar', ['-x', '-C', join(folder, 'dist')], { input: archive });
  const packed = readdirSync(join(folder, 'dist'));
  const others = readdirSync('dist').filter((name) => !packed.includes(name));
  for (const name of ['node_modules', 'package.json', ...others.map((other) => `dist/${other}`)])
    symlinkSync(resolve(name), join(folder, name));
  return folder;
}

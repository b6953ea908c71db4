/** A folder for files of tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * A folder for files of tests, which is removed when they are over.
 *
 * @param whenOver `onTestFinished` for a folder of one test. @default those of the file
 */
export function createFolder(whenOver: (remove: () => void) => void = afterAll): {
  readonly path: string;
  /** Writes a file, and makes the folders that it is in. @returns its path */
  write(name: string, content: string | Buffer): string;
} {
  const path = mkdtempSync(join(tmpdir(), 'evw-test-'));
  whenOver(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
  };
}

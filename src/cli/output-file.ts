/** Writes a file completely or not at all. Only its owner can read it. */
import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { quote, UsageError } from '../service/core/usage-error.ts';
import { isUnavailable } from '../service/database/unavailable.ts';

const OWNER_ONLY = 0o600;

/**
 * Writes to a temporary file in the same folder. When everything is on the disk, it renames that file.
 *
 * @param replaces whether to replace an existing file
 * @throws {UsageError} if the file exists, or cannot be written
 */
export async function writeFileWhole<Result>(
  path: string,
  replaces: boolean,
  write: (destination: Writable) => Promise<Result>,
): Promise<Result> {
  await refuseTaken(path, replaces);
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.partial`);
  const handle = await open(temporary, 'wx', OWNER_ONLY).catch((error) => {
    throw explain(path, error);
  });
  try {
    const result = await write(handle.createWriteStream());
    // The stream has closed its own handle.
    await sync(temporary);
    // The file may exist by now.
    await refuseTaken(path, replaces);
    await rename(temporary, path);
    // The folder contains the name of the file, and has to be written to the disk too. Not every system can do that.
    await sync(folder).catch(() => {});
    return result;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(temporary, { force: true });
    throw explain(path, error);
  }
}

async function refuseTaken(path: string, replaces: boolean): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there && !there.isFile())
    throw new UsageError(`Expected ${quote(path)} to be a file, got something else. Name another file.`);
  if (there && !replaces) {
    throw new UsageError(
      `Expected a new file, got ${quote(path)}, which exists. Name another one, or add --force.`,
    );
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Explains errors of the file system, which the operator can correct. All others stay as they are. */
function explain(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isUnavailable(error)) return error;
  if (syscall === undefined || !['open', 'write', 'fsync', 'rename', 'close'].includes(syscall)) return error;
  return new UsageError(
    `Expected to write ${quote(path)}, got ${code}. Check the folder, its permissions and the space on the disk.`,
  );
}

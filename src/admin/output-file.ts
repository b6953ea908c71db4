/** Writes a file that is there completely or not at all, and that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { isUnavailable } from '../service/database/unavailable.ts';
import { quote, UsageError } from './usage-error.ts';

const OWNER_ONLY = 0o600;

/**
 * Writes to a temporary name beside the file, and renames it at the end, when the disk has everything.
 *
 * @param replaces whether a file that is there is replaced
 * @throws {UsageError} if the file is there already, or cannot be written
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
    // It can have come in the meantime.
    await refuseTaken(path, replaces);
    await rename(temporary, path);
    // The name of a file is in its folder, which reaches the disk by itself. Not every system can do that.
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
  if (there && !there.isFile()) {
    throw new UsageError(
      `Expected ${quote(path)} to be a file or nothing, got something else. Name another file.`,
    );
  }
  if (there && !replaces) {
    throw new UsageError(
      `Expected a new file, got ${quote(path)}, which is there already. Name another one, or add --force.`,
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

/** Errors of the file system are the operator's to correct. All others stay as they are. */
function explain(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isUnavailable(error)) return error;
  if (syscall === undefined || !['open', 'write', 'fsync', 'rename', 'close'].includes(syscall)) return error;
  return new UsageError(
    `Expected to write ${quote(path)}, got ${code}. Check the folder, its permissions and the space on the disk.`,
  );
}

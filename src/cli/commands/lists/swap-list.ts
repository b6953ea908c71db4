/** Puts a list in the place of the old one at once, and keeps the old one beside it. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListName } from '../../../engine/facts/facts.ts';
import { quote } from '../../../service/core/usage-error.ts';
import { CommandError } from '../../command-error.ts';

/** The service may run as another user. */
const READABLE = 0o644;

/** The old list, or `undefined` if there is none. */
export const readOldList = (folder: string, list: ListName): Promise<Buffer | undefined> =>
  inWords(folder, () => readIfThere(pathOf(folder, list)));

/**
 * A service that reads the list meanwhile gets the old one or the new one. At every moment, the list is there.
 *
 * @returns whether the list has changed. One that has not is as young as a new one
 * @throws {CommandError} if the folder cannot be written to. The old list is then still there
 */
export async function swapList(folder: string, list: ListName, bytes: Buffer): Promise<boolean> {
  const path = pathOf(folder, list);
  return inWords(folder, async () => {
    await mkdir(folder, { recursive: true });
    const old = await readIfThere(path);
    if (old?.equals(bytes)) {
      const now = new Date();
      await utimes(path, now, now);
      return false;
    }
    const partial = `${path}.${randomBytes(6).toString('hex')}.partial`;
    try {
      if (old) {
        await copyFile(path, partial);
        await rename(partial, `${path}.previous`);
      }
      await writeToDisk(partial, bytes, old ? (await stat(path)).mode & 0o777 : READABLE);
      await rename(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
    return true;
  });
}

const pathOf = (folder: string, list: ListName) => join(folder, `${list}.txt`);

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeToDisk(path: string, bytes: Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(bytes);
    // The process may have a umask.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function inWords<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `Expected to read and write the lists in ${quote(folder)}, got ${code}. Check its permissions and the disk.`,
    );
  }
}

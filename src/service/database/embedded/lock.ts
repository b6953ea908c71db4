/** Holds the folder's lock, by which one server at most runs on a folder, whatever its process ids and containers. */
import { constants } from 'node:fs';
import { runCommand } from './command.ts';
import { type DataFolder, openOwn, unusable } from './folder.ts';

/** The lock belongs to an open file: it lasts until the last process that inherited the file has ended. */
export interface FolderLock {
  /** For the processes of the server to inherit. */
  readonly descriptor: number;
  /** False where the system has no flock(1): PostgreSQL's own check is the only one there. */
  readonly certain: boolean;
  /** Closes Node's own copy. */
  close(): Promise<void>;
}

/** What flock(1) returns when another process holds the lock. */
const HELD = 1;

/** @returns undefined while another process holds the lock */
export async function tryLock(folder: DataFolder): Promise<FolderLock | undefined> {
  const file = await openOwn(folder, folder.lock, constants.O_CREAT, 0o600).catch((error) => {
    throw unusable(folder.lock, error);
  });
  const { code } = await runCommand('flock', ['-n', '3'], { inherits: file.fd });
  if (code === HELD) {
    await file.close();
    return undefined;
  }
  return { descriptor: file.fd, certain: code === 0, close: () => file.close() };
}

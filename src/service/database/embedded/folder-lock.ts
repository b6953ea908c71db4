/** The lock of the folder. It allows only one server per folder, even across containers. */
import { constants } from 'node:fs';
import { type DataFolder, openOwn, unusable } from './data-folder.ts';
import { runCommand } from './run-command.ts';

/** The lock belongs to an open file. It lasts until the last process that inherited the file has ended. */
export interface FolderLock {
  /** For the processes of the server to inherit. */
  readonly descriptor: number;
  /** False on systems without flock(1), where only PostgreSQL's own check applies. */
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

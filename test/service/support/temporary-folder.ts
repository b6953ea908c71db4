/** A temporary folder for databases. */
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a new folder. All users may enter it, because a database may run as another user. */
export function makeTemporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(chooseDisk(), prefix));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * Chooses the memory file system for a few rounds, because a busy disk is slow. SIGKILL loses nothing that the system
 * has.
 */
function chooseDisk(): string {
  const memory = '/dev/shm';
  if (process.env.EMBEDDED_ROUNDS || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 31 ? memory : tmpdir();
}

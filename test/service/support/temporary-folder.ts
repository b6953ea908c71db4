/** A temporary folder for databases. */
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a new folder. A database may run as another user, who may enter it. */
export function makeTemporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(chooseDisk(), prefix));
  chmodSync(folder, 0o755);
  return folder;
}

/** SIGKILL loses nothing that the system has taken, so memory is enough for a few rounds. A busy disk is slow. */
function chooseDisk(): string {
  const memory = '/dev/shm';
  if (process.env.EMBEDDED_ROUNDS || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 31 ? memory : tmpdir();
}

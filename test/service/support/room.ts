/** A folder for everything that the tests of one file write. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let room: string | undefined;
let names = 0;

/** A path that is not taken. The user of an embedded database may enter its folder. */
export function freePath(): string {
  room ??= makeRoom();
  names += 1;
  return join(room, `file-${names}`);
}

export function removeRoom(): void {
  // A server that was killed removes its last files a moment later.
  if (room) rmSync(room, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  room = undefined;
}

function makeRoom(): string {
  // SIGKILL loses nothing that the system has taken, so memory is enough, and a busy disk is slow.
  const disk = existsSync('/dev/shm') && !process.env.EMBEDDED_ROUNDS ? '/dev/shm' : tmpdir();
  const made = mkdtempSync(join(disk, 'service-test-'));
  chmodSync(made, 0o755);
  return made;
}

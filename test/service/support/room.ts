/** A folder for everything that the tests of one file write. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from './temporary-folder.ts';

let room: string | undefined;
let names = 0;

/** An unused path. */
export function freePath(): string {
  room ??= makeTemporaryFolder('service-test-');
  names += 1;
  return join(room, `file-${names}`);
}

export function removeRoom(): void {
  // A server that was killed removes its last files a moment later.
  if (room) rmSync(room, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  room = undefined;
}

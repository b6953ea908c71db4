/** A file without a name, which disappears with the process. It holds addresses while they arrive. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Without a name, other users cannot open the file, and a crash leaves no data behind. */
export async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `email-verify-list-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** Stores the bytes of a list while they arrive, in a file without a name that disappears with the process. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file holds addresses. Without a name, other users cannot open it, and a crash leaves no data behind. */
export async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `email-verify-list-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

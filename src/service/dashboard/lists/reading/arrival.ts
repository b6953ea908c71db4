/** Keeps the bytes of a list while they arrive: in a file without a name, which ends with the process. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** It holds addresses: nobody else can open it, and nothing of it is left behind after a crash. */
export async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `email-verify-list-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

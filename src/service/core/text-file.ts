/** Reads a text file that an operator names: a config, a secret or a list of addresses. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Anything longer is another file. `/dev/zero` has no end. */
const MOST_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** The file may be a pipe. @throws an error with a `code`, which is `EFBIG` for more than 16 MiB */
export function readTextFile(path: string): string {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = readSync(file, chunk);
      if (count === 0) return Buffer.concat(chunks).toString();
      size += count;
      if (size > MOST_BYTES) throw Object.assign(new Error('The file is too large.'), { code: 'EFBIG' });
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}

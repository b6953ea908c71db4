/** Cuts the bytes of a backup into lines, in bounded memory. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BackupError } from './backup-format.ts';

/** A row of the largest upload is shorter, even if every character is escaped. */
const LONGEST_LINE = 256 * 1024 * 1024;

const LINE_FEED = 0x0a;

/**
 * @param source the bytes of the file @returns each line with its line feed, while the file is read
 * @throws {BackupError} if the file is damaged or cut off, or is not compressed by gzip
 */
export async function* linesOf(source: Readable, longest = LONGEST_LINE): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // The iteration below reports its errors.
  pipeline(source, gunzip, () => {});
  let begun: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        yield Buffer.concat([...begun, chunk.subarray(start, end + 1)]);
        begun = [];
        length = 0;
        start = end + 1;
      }
      begun.push(chunk.subarray(start));
      length += chunk.length - start;
      if (length > longest) throw new BackupError('Expected a backup, got a file with an endless line.');
    }
  } catch (error) {
    throw explain(error);
  }
  if (length > 0) throw cutOff();
}

export function cutOff(): BackupError {
  return new BackupError('Expected a whole backup, got one that is cut off. Use another one.');
}

function explain(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'Z_BUF_ERROR') return cutOff();
  if (code === 'Z_DATA_ERROR')
    return new BackupError(
      'Expected a backup, got a file that is damaged, or not a backup. Use another one.',
    );
  return error;
}

/** The 100,000 most common passwords, as digests. `make-common-passwords.mjs` makes the file, and names its source. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** The first bytes of each digest, as a number. */
const DIGEST_BYTES = 5;
/** The file has the distances between the sorted digests: the first bytes of all, then their second bytes, and so on. */
const DISTANCE_BYTES = 4;

let digests: Promise<Float64Array> | undefined;

/** Read when the first password is made, because most processes never need it. Another thread decompresses it. */
async function readDigests(): Promise<Float64Array> {
  const { default: text } = await import('./common-passwords.txt?raw');
  const columns = await promisify(brotliDecompress)(Buffer.from(text, 'base64'));
  const sorted = new Float64Array(columns.length / DISTANCE_BYTES);
  let digest = 0;
  for (let row = 0; row < sorted.length; row += 1) {
    let distance = 0;
    for (let column = 0; column < DISTANCE_BYTES; column += 1)
      distance = distance * 256 + columns[column * sorted.length + row]!;
    digest += distance;
    sorted[row] = digest;
  }
  return sorted;
}

/** Whether a password is among the most common ones, in capital letters or small ones. */
export async function isCommonPassword(password: string): Promise<boolean> {
  digests ??= readDigests();
  const sorted = await digests;
  const folded = password.normalize('NFC').toLowerCase();
  const wanted = createHash('sha256').update(folded).digest().readUIntBE(0, DIGEST_BYTES);
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const row = (from + to) >>> 1;
    if (sorted[row]! < wanted) from = row + 1;
    else to = row;
  }
  return sorted[from] === wanted;
}

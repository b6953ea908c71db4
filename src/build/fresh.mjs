/**
 * Tells whether a part of the build is still what its sources say. It compares contents, not times: a checkout that is
 * copied with its dist/ is fresh, and so is one that went to another branch and back.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Written last, and removed first: a part without its stamp is not whole. */
export const stampOf = ({ name }) => `dist/.made/${name}`;

/**
 * A digest of files and folders. A source that is not there counts as such.
 *
 * @param root the checkout @param sources from there
 */
export function fingerprintOf(root, sources) {
  const paths = sources.flatMap((source) => filesBelow(root, source));
  return digest(paths.map((path) => `${path} ${digestOfFile(join(root, path))}\n`).join(''));
}

/** Most files are sources of several parts. A file that changes while a process builds makes its parts stale. */
const digests = new Map();

function digestOfFile(path) {
  const known = digests.get(path) ?? digest(readFileSync(path));
  digests.set(path, known);
  return known;
}

const digest = (content) => createHash('sha256').update(content).digest('base64');

/** @returns the files below a folder, or the file itself, by their paths from the root; none if it is not there */
export function filesBelow(root, path = '') {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  const names = readdirSync(join(root, path)).filter((name) => name !== 'node_modules');
  return names.sort().flatMap((name) => filesBelow(root, path === '' ? name : `${path}/${name}`));
}

/** @param fingerprint of the sources of the part, as they are now */
export function isFresh(root, part, fingerprint = fingerprintOf(root, part.sources)) {
  const stamp = join(root, stampOf(part));
  return isThere(root, part) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
}

/** Whether each file and folder of the part is there, of whatever sources. */
export const isThere = (root, { outputs }) => outputs.every((name) => existsSync(join(root, 'dist', name)));

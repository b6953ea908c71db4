/** Copies PostgreSQL's programs to a folder that the server's user can reach. */
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** Sizes of all ordinary files below a folder, by relative path. */
type Listing = ReadonlyMap<string, number>;

/** Copies a package's programs below `home`, or finds a complete copy from an earlier start. */
export async function copyPrograms(native: string, home: string, platform: string): Promise<string> {
  const source = await list(native);
  const copy = join(
    home,
    `email-verify-postgres-${await readVersion(native)}-${platform}-${process.geteuid?.()}`,
  );
  if (await isComplete(copy, source)) return copy;
  const draft = await mkdtemp(`${copy}-`);
  await chmod(draft, 0o755);
  for (const path of new Set([...source.keys()].map(dirname)))
    await mkdir(join(draft, path), { recursive: true });
  for (const path of source.keys()) {
    const target = join(draft, path);
    await copyFile(join(native, path), target);
    await chmod(target, path.startsWith('bin/') ? 0o755 : 0o644);
  }
  await openFolders(draft);
  await putInPlace(draft, copy, source);
  if (!(await isComplete(copy, source))) throw new Error(`Expected a complete copy in ${copy}.`);
  return copy;
}

/** A complete copy stays, because another process may have made it meanwhile and run its programs already. */
async function putInPlace(draft: string, copy: string, source: Listing): Promise<void> {
  if (await isRenamed(draft, copy)) return;
  if (!(await isComplete(copy, source))) {
    const broken = `${draft}-broken`;
    if (await isRenamed(copy, broken)) await rm(broken, { recursive: true });
    if (await isRenamed(draft, copy)) return;
  }
  await rm(draft, { recursive: true });
}

/** A folder that is not empty is never replaced. */
const isRenamed = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    () => false,
  );

/** Lets every user enter, because a strict umask would have closed the new folders. */
async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}

async function readVersion(native: string): Promise<string> {
  const text = await readFile(join(native, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** A copy is valid if this user made it, no other user can write to it, and every file has the right size. */
async function isComplete(copy: string, source: Listing): Promise<boolean> {
  try {
    const { uid, mode } = await lstat(copy);
    if (uid !== process.geteuid?.() || mode & 0o022) return false;
    const found = await list(copy);
    return [...source].every(([path, size]) => found.get(path) === size);
  } catch {
    return false;
  }
}

async function list(root: string): Promise<Listing> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((entry) => entry.isFile())
    .map(async (entry): Promise<[string, number]> => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      return [relative(root, path), (await stat(path)).size];
    });
  return new Map(await Promise.all(sizes));
}

/** The files in the folder of the embedded database, and their owners. */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { cannotEmbed, codeOf } from './embedded-advice.ts';
import { giveTo, type SystemUser } from './run-command.ts';

/** The folder of an embedded database. All paths are absolute and free of symbolic links. */
export interface DataFolder {
  readonly path: string;
  /** The cluster: PostgreSQL's own files. */
  readonly cluster: string;
  /** A cluster that initdb has not finished. */
  readonly unfinished: string;
  /** Holds the socket, if its path is short enough and the server's user can reach it. */
  readonly run: string;
  readonly lock: string;
  readonly password: string;
  readonly state: string;
  readonly log: string;
  /** Owner of the files that Node writes. Undefined: the user who runs Node. */
  readonly owner: SystemUser | undefined;
}

const README = `This folder holds the database of the email verification service.
The service starts a PostgreSQL server here and stops it again.

pg/         the files of PostgreSQL
run/        the socket of the server
password    the password of the server; only the owner can read it
server.log  what the server reports
lock        locked while a server runs here

- Do not delete or edit files in pg/. Never delete postmaster.pid by hand.
- Do not start a second server here, neither with this service nor with postgres or pg_ctl.
- To back up: stop the service, copy the whole folder, start the service.
- To stop the service, send SIGTERM to its process and allow it 30 seconds.
`;

/** Makes the folder if it is missing. @throws DatabaseError if it cannot be used */
export async function openFolder(given: string): Promise<DataFolder> {
  const folder = await makeAndDescribe(given).catch((error) => {
    throw unusable(given, error);
  });
  await refuseLinks(folder);
  return folder;
}

async function makeAndDescribe(given: string): Promise<DataFolder> {
  await makeFolder(resolve(given));
  const path = await realpath(given);
  const folder = describeFolder(path, await ownerOf(path));
  await makeReadme(folder);
  return folder;
}

/** Also creates the parent folders. Node 20's own recursive form never returns under /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || existsSync(above)) throw error;
    await makeFolder(above);
    await mkdir(path).catch(exists);
  }
}

function describeFolder(path: string, owner: SystemUser | undefined): DataFolder {
  return {
    path,
    cluster: join(path, 'pg'),
    unfinished: join(path, 'pg.init'),
    run: join(path, 'run'),
    lock: join(path, 'lock'),
    password: join(path, 'password'),
    state: join(path, 'state.json'),
    log: join(path, 'server.log'),
    owner,
  };
}

/** Root gives its files to the owner of the folder, who may start the service next time. */
async function ownerOf(path: string): Promise<SystemUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(path);
  return uid === 0 ? undefined : { uid, gid };
}

/** The owner of the folder must not lead root to files elsewhere, which it would then give to the owner, or delete. */
async function refuseLinks({ owner, cluster, unfinished, run }: DataFolder): Promise<void> {
  for (const path of owner ? [cluster, unfinished, run] : []) {
    const found = await lstat(path).catch(() => undefined);
    if (found && !found.isDirectory()) throw unusable(path, { code: 'ENOTDIR' });
  }
}

async function makeReadme(folder: DataFolder): Promise<void> {
  const path = join(folder.path, 'README.txt');
  const file = await openOwn(folder, path, constants.O_CREAT | constants.O_EXCL, 0o644).catch(exists);
  if (!file) return;
  try {
    await file.writeFile(README);
  } finally {
    await file.close();
  }
}

function exists(error: unknown): undefined {
  if (codeOf(error) !== 'EEXIST') throw error;
}

/** The error for a folder, or a file in it, that the system refuses. */
export function unusable(path: string, error: unknown): Error {
  const code = codeOf(error);
  const found = `Expected ${path} to be a folder that this user can read and write, got ${code}.`;
  const remedy =
    code === 'EEXIST' || code === 'ENOTDIR'
      ? 'Set a folder instead of a file'
      : code === 'ENOSPC' || code === 'EDQUOT'
        ? 'Make room on the disk'
        : 'Change the permissions or set another folder';
  return cannotEmbed(found, remedy);
}

/** Opens a file for writing. Root follows neither symbolic nor hard links that the folder's owner has made. */
export async function openOwn(
  { owner }: DataFolder,
  path: string,
  flags: number,
  mode: number,
): Promise<FileHandle> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | flags, mode);
  if (!owner) return file;
  const found = await file.stat();
  if (!found.isFile() || found.nlink > 1) {
    await file.close();
    throw Object.assign(new Error('a link to another file'), { code: 'EMLINK' });
  }
  await file.chown(owner.uid, owner.gid);
  return file;
}

/** Replaces a file atomically and durably, so that a crash leaves the old or the new one. */
export async function writeOwn(folder: DataFolder, path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const file = await openOwn(folder, draft, constants.O_CREAT | constants.O_EXCL, mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** The text of a file, or undefined if it is missing. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes a folder that belongs to the user of the server, closed to others. */
export async function makeClosedFolder(path: string, user: SystemUser | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(exists);
  await giveTo(user, path);
}

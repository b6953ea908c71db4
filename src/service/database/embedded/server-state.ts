/** Records where the running server's socket is, so that other processes find it. */
import { lstat, mkdtemp, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type DataFolder, makeClosedFolder, readIfThere, writeOwn } from './data-folder.ts';
import { giveTo, type SystemUser } from './run-command.ts';
import { PORT } from './server-settings.ts';

/** A `service` keeps its server. A `visit` is short: another process must not rely on its server. */
export type Stay = 'service' | 'visit';

/** The record in the folder. */
export interface State {
  readonly stay: Stay;
  readonly version: string;
  /** Relative to the folder, which other processes may see at another path, or absolute. */
  readonly socketFolder: string;
  /** The process that started the server. Versions up to 2.0.0 did not record it. */
  readonly holder?: Holder | undefined;
}

export interface Holder {
  readonly pid: number;
  /** A process id means nothing on another machine or in another container. */
  readonly host: string;
}

export const thisProcess = (): Holder => ({ pid: process.pid, host: hostname() });

/** Who holds the folder, in words for people. */
export async function describeHolder(folder: DataFolder): Promise<string> {
  const { stay, holder } = (await readState(folder)) ?? {};
  if (!holder) return 'another process';
  return `${stay === 'visit' ? 'a command' : 'a service'} (process ${holder.pid} on ${holder.host})`;
}

/** What fits into the system's structure for an address of a socket, without the closing zero. */
const LONGEST_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;

/** @returns undefined if there is no record that can be read */
export async function readState(folder: DataFolder): Promise<State | undefined> {
  const text = await readIfThere(folder.state).catch(() => undefined);
  try {
    const { stay, version, socketFolder, holder } = JSON.parse(text ?? '') as Record<keyof State, unknown>;
    if (stay !== 'service' && stay !== 'visit') return undefined;
    if (typeof version !== 'string' || typeof socketFolder !== 'string') return undefined;
    return { stay, version, socketFolder: resolve(folder.path, socketFolder), holder: readHolder(holder) };
  } catch {
    return undefined;
  }
}

function readHolder(value: unknown): Holder | undefined {
  const { pid, host } = Object(value) as Record<keyof Holder, unknown>;
  return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid: pid as number, host } : undefined;
}

export async function writeState(folder: DataFolder, state: State): Promise<void> {
  const socketFolder = state.socketFolder === folder.run ? 'run' : state.socketFolder;
  await writeOwn(folder, folder.state, `${JSON.stringify({ ...state, socketFolder })}\n`, 0o644);
}

export async function forgetState(folder: DataFolder): Promise<void> {
  await rm(folder.state, { force: true });
}

/** A folder for the socket: `run`, or one for temporary files if the path of `run` is too long or closed to the user. */
export async function makeSocketFolder(
  folder: DataFolder,
  user: SystemUser | undefined,
  reachable: boolean,
): Promise<string> {
  if (reachable && fits(folder.run)) {
    await makeClosedFolder(folder.run, user);
    return folder.run;
  }
  const earlier = (await readState(folder))?.socketFolder;
  const uid = user && !user.mapped ? user.uid : process.geteuid?.();
  if (earlier && (await isClosedFolderOf(earlier, uid))) return earlier;
  const made = await mkdtemp(join(tmpdir(), 'email-verify-'));
  await giveTo(user, made);
  return made;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= LONGEST_SOCKET_PATH;
}

/**
 * Whether only the server's user can have made the socket there. A folder for temporary files may have been deleted, and
 * made again by anybody.
 */
export async function isSocketFolder({ run, cluster }: DataFolder, path: string): Promise<boolean> {
  if (path === run) return true;
  const owner = await stat(cluster).catch(() => undefined);
  return isClosedFolderOf(path, owner?.uid);
}

async function isClosedFolderOf(path: string, uid: number | undefined): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}

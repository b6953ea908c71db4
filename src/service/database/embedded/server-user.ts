/** Decides which user runs the embedded server: PostgreSQL refuses to run as root. */
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { DataFolder } from './data-folder.ts';
import { cannotEmbed } from './embedded-advice.ts';
import { runCommand, type SystemUser } from './run-command.ts';

/** The users of one embedded database. Undefined: the user who runs Node. */
export interface ServerUsers {
  /** Runs the server and owns the cluster. */
  readonly server: SystemUser | undefined;
  /** Runs initdb, which needs a user that has a name. */
  readonly initdb: SystemUser | undefined;
  /** Whether other programs run as the server's user, too, and could reach its files. */
  readonly isShared: boolean;
}

/** The system user that the database should have. */
const OWN_USER = 'email-verify';
const SHARED_USER = 'nobody';

/** How to make that user, for an operator who runs the service as root. */
export const MAKE_USER = `useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ${OWN_USER}`;

/**
 * As root: the owner of the cluster, or else of the folder, or else `email-verify`, or else `nobody`. Otherwise the user
 * who runs Node. A cluster of `nobody` moves to `email-verify` once that user exists, unless the folder is also of
 * `nobody`.
 */
export async function chooseUsers(folder: DataFolder, find = findUser): Promise<ServerUsers> {
  if (process.geteuid?.() !== 0) return { server: undefined, initdb: undefined, isShared: false };
  const [own, nobody] = await Promise.all([find(OWN_USER), find(SHARED_USER)]);
  const named = own ?? nobody;
  if (!named)
    throw cannotEmbed(
      `The embedded database cannot run as root and needs the user "${OWN_USER}", which does not exist.`,
      `Make it with "${MAKE_USER}", run as an ordinary user`,
    );
  const { uid: clusterOwner } = await stat(folder.cluster).catch(() => ({ uid: 0 }));
  const isLeft = own !== undefined && clusterOwner === nobody?.uid;
  const uid = (isLeft ? 0 : clusterOwner) || folder.owner?.uid;
  const server = uid ? { uid, gid: (await groupOf(String(uid))) ?? uid } : named;
  const isShared = server.uid === nobody?.uid;
  const refusal = await tryUser(server);
  if (refusal === undefined) return { server, initdb: named, isShared };
  const mapped = { ...named, mapped: true };
  if ((await tryUser(mapped)) === undefined) return { server: mapped, initdb: mapped, isShared };
  throw cannotEmbed(
    `Expected root to be able to run programs as the user with the id ${server.uid}, got ${refusal}.`,
    'Run as an ordinary user',
  );
}

/** @returns undefined if programs can run as this user, or how one failed */
async function tryUser(user: SystemUser): Promise<number | string | undefined> {
  const { code } = await runCommand('/bin/sh', ['-c', ':'], { user, cwd: '/' });
  return code === 0 ? undefined : code;
}

async function findUser(name: string): Promise<SystemUser | undefined> {
  const [{ code, output }, gid] = await Promise.all([runCommand('id', ['-u', name]), groupOf(name)]);
  const uid = Number(output);
  return code !== 0 || !uid || gid === undefined ? undefined : { uid, gid };
}

/** The main group of a user, unless it is root's. */
async function groupOf(user: string): Promise<number | undefined> {
  const { code, output } = await runCommand('id', ['-g', user]);
  return code === 0 && Number(output) > 0 ? Number(output) : undefined;
}

/** @throws DatabaseError if the user who runs Node has no name, which initdb needs */
export function expectName(): void {
  try {
    userInfo();
  } catch {
    throw cannotEmbed(
      `Expected a name for the user with the id ${process.geteuid?.()}, got none in /etc/passwd.`,
      'Run as a user with a name',
    );
  }
}

/** Whether the user of the server can enter a folder by its path. Parents of it may be closed, such as /root. */
export async function canEnter(path: string, user: SystemUser | undefined): Promise<boolean> {
  if (!user) return true;
  const { code } = await runCommand('/bin/sh', ['-c', 'cd -P -- "$1"', 'sh', path], { user, cwd: '/' });
  return code === 0;
}

/**
 * The value of `-D` for a program that starts in the folder of the cluster. Node enters that folder as root, before it
 * becomes the user of the server. So the program can use it, even if that user cannot reach it by its path.
 */
export function clusterArgument(path: string, reachable: boolean): string {
  return reachable || process.platform !== 'linux' ? path : '/proc/self/cwd';
}

/** Decides which user runs the embedded server: PostgreSQL refuses to run as root. */
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { cannotEmbed } from './advice.ts';
import { runCommand, type SystemUser } from './command.ts';
import type { DataFolder } from './folder.ts';

/** The users of one embedded database. Undefined: the user who runs Node. */
export interface ServerUsers {
  /** Runs the server and owns the cluster. */
  readonly server: SystemUser | undefined;
  /** Runs initdb, which needs a user that has a name. */
  readonly initdb: SystemUser | undefined;
}

/** As root: the owner of the cluster, or else of the folder, or else `nobody`. Otherwise the user who runs Node. */
export async function chooseUsers(folder: DataFolder): Promise<ServerUsers> {
  if (process.geteuid?.() !== 0) return { server: undefined, initdb: undefined };
  const nobody = await findNobody();
  const clusterOwner = await stat(folder.cluster).then(
    ({ uid }) => uid,
    () => 0,
  );
  const uid = clusterOwner || folder.owner?.uid;
  const server = uid ? { uid, gid: (await groupOf(String(uid))) ?? uid } : nobody;
  const refusal = await tryUser(server);
  if (refusal === undefined) return { server, initdb: nobody };
  const mapped = { ...nobody, mapped: true };
  if ((await tryUser(mapped)) === undefined) return { server: mapped, initdb: mapped };
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

async function findNobody(): Promise<SystemUser> {
  const [{ code, output }, gid] = await Promise.all([runCommand('id', ['-u', 'nobody']), groupOf('nobody')]);
  const uid = Number(output);
  if (code !== 0 || !uid || gid === undefined) {
    throw cannotEmbed(
      'The embedded database cannot run as root and needs the user "nobody", which does not exist.',
      'Add that user, run as an ordinary user',
    );
  }
  return { uid, gid };
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

/** Creates the cluster at the first start, and checks it at later starts. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { type DataFolder, makeClosedFolder, readIfThere, unusable, writeOwn } from './data-folder.ts';
import { cannotEmbed, codeOf } from './embedded-advice.ts';
import { giveTo, runCommand, type SystemUser } from './run-command.ts';
import { ROLE } from './server-settings.ts';
import { clusterArgument, expectName, type ServerUsers } from './server-user.ts';

/** Passes the password to initdb through a pipe, because others could read a command line or a file. */
const INITDB = `IFS= read -r password; printf '%s\\n' "$password" | "$@" --pwfile=/dev/stdin`;

/**
 * Creates the cluster if it is missing. Call it while the folder is locked.
 *
 * @param reachable whether the server's user can reach the folder by its path @param lock the lock's descriptor, so
 * that an initdb that outlives Node keeps the folder locked
 * @throws DatabaseError
 */
export async function prepareCluster(
  folder: DataFolder,
  binaries: Binaries,
  users: ServerUsers,
  reachable: boolean,
  lock: number,
): Promise<void> {
  if (await isFound(folder, binaries)) return own(folder.cluster, folder, users.server);
  const password = (await readPassword(folder)) ?? (await makePassword(folder));
  if (!users.initdb) expectName();
  await rm(folder.unfinished, { recursive: true, force: true });
  await makeClosedFolder(folder.unfinished, users.initdb);
  const { code, errors } = await runCommand(
    '/bin/sh',
    [
      ...['-c', INITDB, 'sh', binaries.initdb, '-D', clusterArgument(folder.unfinished, reachable)],
      ...['-U', ROLE, '--auth=scram-sha-256', '--data-checksums'],
      ...['--encoding=UTF8', '--locale=C', '--no-instructions'],
    ],
    { user: users.initdb, cwd: folder.unfinished, input: `${password}\n`, inherits: lock },
  );
  if (code !== 0) {
    const [, reason = code] = /(?:initdb: error|FATAL|PANIC): +(.*)/.exec(errors) ?? [];
    throw cannotEmbed(
      `Expected initdb to make the database in ${folder.path}, got "${reason}".`,
      'Remove the cause',
    );
  }
  await own(folder.unfinished, folder, users.server);
  await rename(folder.unfinished, folder.cluster);
}

/** Whether the folder has a cluster that these programs can run. @throws DatabaseError for any other content */
async function isFound(folder: DataFolder, { version }: Binaries): Promise<boolean> {
  const expected = version.split('.')[0];
  const found = await readIfThere(join(folder.cluster, 'PG_VERSION')).catch((error) => {
    throw unusable(folder.cluster, error);
  });
  if (found === undefined) {
    const names = await readdir(folder.cluster).catch((error) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw unusable(folder.cluster, error);
    });
    if (names.length === 0) return false;
    throw cannotEmbed(
      `Expected a PostgreSQL cluster in ${folder.cluster}, got files without PG_VERSION.`,
      'Restore a backup or name another folder',
    );
  }
  if (found.trim() === expected) return true;
  throw cannotEmbed(
    `Expected a database of PostgreSQL ${expected} in ${folder.path}, got one of PostgreSQL ${found.trim()}.`,
    `Dump it with PostgreSQL ${found.trim()} and load it into an empty folder`,
  );
}

/**
 * Gives the cluster to the user of the server, closed to others. A restored backup may belong to root. Root opens the
 * folder once, so its owner cannot put a link in its place meanwhile.
 */
async function own(path: string, { owner }: DataFolder, user: SystemUser | undefined): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | (owner ? constants.O_NOFOLLOW : 0);
  const opened = await open(path, flags).catch((error) => {
    throw unusable(path, error);
  });
  try {
    if (user && !user.mapped && (await opened.stat()).uid !== user.uid) {
      const inside = process.platform === 'linux' ? `/proc/self/fd/${opened.fd}` : path;
      // Files come before their folders, in which the user could then put links.
      const names = (await readdir(inside, { recursive: true })).reverse();
      for (const name of names) await giveTo(user, join(inside, name));
      await opened.chown(user.uid, user.gid);
    }
    await opened.chmod(0o700);
  } catch (error) {
    throw unusable(path, error);
  } finally {
    await opened.close();
  }
}

async function makePassword(folder: DataFolder): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await writeOwn(folder, folder.password, `${password}\n`, 0o600);
  return password;
}

/** @returns undefined if there is none. @throws DatabaseError if this user cannot read it */
export async function readPassword(folder: DataFolder): Promise<string | undefined> {
  const text = await readIfThere(folder.password).catch((error) => {
    throw unusable(folder.password, error);
  });
  return text?.trim() || undefined;
}

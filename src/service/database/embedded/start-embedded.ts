/** Starts the embedded PostgreSQL of a folder, or joins the one that another process runs there. */
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Log, silentLog } from '../../core/log.ts';
import { DatabaseError } from '../database-error.ts';
import { askReadiness, type Connection } from './accepts-queries.ts';
import { prepareCluster, readPassword } from './cluster.ts';
import { type DataFolder, openFolder, unusable } from './data-folder.ts';
import { cannotEmbed } from './embedded-advice.ts';
import { type FolderLock, tryLock } from './folder-lock.ts';
import { keepRunning } from './keep-running.ts';
import { findPlace, type Place } from './server-place.ts';
import { DATABASE, PORT, ROLE } from './server-settings.ts';
import {
  describeHolder,
  forgetState,
  isSocketFolder,
  makeSocketFolder,
  readState,
  type Stay,
  thisProcess,
  writeState,
} from './server-state.ts';
import { MAKE_USER } from './server-user.ts';

/** A running embedded server. */
export interface EmbeddedServer {
  /** The connection for `pg`. `host` is the folder of the socket. */
  readonly connection: Connection;
  /** Such as `18.4`. */
  readonly version: string;
  /** Why the server could not be restarted. `undefined` while it runs, and for the server of another process. */
  whyDown(): string | undefined;
  /** Stops the server, if this process started it, and waits for its end. A second call returns the same promise. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Logs the death and the restart of the server. */
  readonly log?: Log;
  /** How long to wait for another process that uses the folder. */
  readonly waitMs?: number;
}

const POLL_MS = 50;
const START_WAIT_MS = 10_000;
const VISIT_WAIT_MS = 30_000;

/**
 * Starts the server of a service. The folder may be missing.
 *
 * @param folder a path relative to the working directory, or an absolute one @throws DatabaseError if the server cannot
 * run here, or if another process uses the folder for longer than `waitMs`
 */
export async function startEmbedded(folder: string, options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const { waitMs = START_WAIT_MS, log = silentLog } = options;
  const place = await findPlace(folder);
  return untilFree(place.folder, waitMs, log, () => start(place, 'service', log));
}

/**
 * Joins the server of a service that runs on this folder. Without one, starts the server for a visit: other processes
 * wait until the visit is over.
 *
 * @throws DatabaseError if neither works within `waitMs`
 */
export async function joinOrStartEmbedded(
  folder: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedServer> {
  const { waitMs = VISIT_WAIT_MS, log = silentLog } = options;
  const opened = await openFolder(folder);
  let place: Place | undefined;
  return untilFree(opened, waitMs, log, async () => {
    const joined = await join(opened);
    if (joined) return joined;
    place ??= await findPlace(folder);
    return start(place, 'visit', log);
  });
}

/** Repeats an attempt until it returns a server. If it has to wait, the log says at once for whom. */
async function untilFree(
  folder: DataFolder,
  waitMs: number,
  log: Log,
  attempt: () => Promise<EmbeddedServer | undefined>,
): Promise<EmbeddedServer> {
  const { path } = folder;
  const deadline = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const server = await attempt().catch((error) => {
      throw error instanceof DatabaseError ? error : unusable(path, error);
    });
    if (server) return server;
    const holder = await describeHolder(folder);
    if (isFirst) log('warn', 'waiting for the database', { folder: path, holder, seconds: waitMs / 1000 });
    if (Date.now() >= deadline)
      throw cannotEmbed(
        `Expected the database in ${path} to be free, got one in use by ${holder}.`,
        'Stop that process',
      );
    await pause(POLL_MS);
  }
}

/** @returns undefined while another process has locked the folder */
async function start(place: Place, stay: Stay, log: Log): Promise<EmbeddedServer | undefined> {
  const lock = await tryLock(place.folder);
  if (!lock) return undefined;
  try {
    return await startLocked(place, stay, log, lock);
  } catch (error) {
    // PostgreSQL's own check, for systems without flock(1).
    if (!lock.certain && error instanceof Error && /lock file .* already exists/.test(error.message))
      return undefined;
    throw error;
  }
}

async function startLocked(place: Place, stay: Stay, log: Log, lock: FolderLock): Promise<EmbeddedServer> {
  const { folder, binaries, users, reachable } = place;
  if (users.isShared)
    log('warn', 'database shares user', {
      advice: `PostgreSQL runs as nobody, which other programs use, too. Give it a user of its own: ${MAKE_USER}`,
    });
  let connection: Connection;
  try {
    await prepareCluster(folder, binaries, users, reachable, lock.descriptor);
    const host = await makeSocketFolder(folder, users.server, reachable);
    if (lock.certain) await forgetState(folder);
    connection = await describeConnection(folder, host);
  } catch (error) {
    await lock.close();
    throw error;
  }
  const kept = await keepRunning({ ...place, connection, log }, lock);
  const { host } = connection;
  await writeState(folder, {
    ...{ stay, version: binaries.version, socketFolder: host },
    holder: thisProcess(),
  }).catch(async (error) => {
    await kept.stop();
    throw unusable(folder.state, error);
  });
  let stopped: Promise<void> | undefined;
  return { connection, version: binaries.version, whyDown: kept.whyDown, stop: () => (stopped ??= stop()) };

  async function stop(): Promise<void> {
    // Before the server releases the lock, because the next server may use this folder afterwards.
    if (host !== folder.run) await rm(host, { recursive: true, force: true });
    await kept.stop();
  }
}

/** @returns undefined if no service runs its server on this folder */
async function join(folder: DataFolder): Promise<EmbeddedServer | undefined> {
  const state = await readState(folder);
  if (state?.stay !== 'service' || !(await isSocketFolder(folder, state.socketFolder))) return undefined;
  const connection = await describeConnection(folder, state.socketFolder);
  const readiness = await askReadiness(connection);
  if (readiness === 'closed' || readiness === 'wrong password')
    throw cannotEmbed(
      `Expected to join the database that runs in ${folder.path}, got a server that refuses this user.`,
      'Run the command as the user of the service',
    );
  return readiness === 'ready'
    ? { connection, version: state.version, whyDown: () => undefined, stop: async () => {} }
    : undefined;
}

async function describeConnection(folder: DataFolder, host: string): Promise<Connection> {
  const password = await readPassword(folder);
  if (password === undefined)
    throw cannotEmbed(
      `Expected the database's password in ${folder.password}, got none.`,
      'Restore that file from a backup',
    );
  return { host, port: PORT, user: ROLE, password, database: DATABASE };
}

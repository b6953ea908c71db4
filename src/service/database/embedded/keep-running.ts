/** Starts the server on a prepared folder, and restarts it if it dies. */
import { constants } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/log.ts';
import type { Connection } from './accepts-queries.ts';
import { type DataFolder, openOwn } from './data-folder.ts';
import { cannotEmbed } from './embedded-advice.ts';
import { type FolderLock, tryLock } from './folder-lock.ts';
import type { Place } from './server-place.ts';
import { endedEarly, type ServerProcess, spawnServer } from './server-process.ts';
import { PORT, serverParameters } from './server-settings.ts';
import { clusterArgument } from './server-user.ts';
import { findReason, WRONG_PASSWORD, waitUntilReady } from './until-ready.ts';

/** The plan for every start of the server on a folder. */
export interface RunningPlan extends Place {
  readonly connection: Connection;
  readonly log: Log;
}

/** A server that is restarted when it dies. */
export interface KeptServer {
  /** Why the last restart failed. `undefined` while the server runs. */
  whyDown(): string | undefined;
  /** Stops the server for good. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A log above this size is renamed at the next start. */
const LARGEST_LOG = 10 * 1024 * 1024;

/**
 * Starts the server and waits until it accepts connections. If the server ends by itself later, it is restarted after a
 * pause that grows with each failure.
 *
 * @param lock held by this process. The server inherits it, and Node's copy is closed
 * @throws DatabaseError if the first start fails
 */
export async function keepRunning(plan: RunningPlan, lock: FolderLock): Promise<KeptServer> {
  const cancel = new AbortController();
  let current = await startOnce(plan, lock, cancel.signal);
  let why: string | undefined;
  const kept = keep();
  return {
    whyDown: () => why,
    async stop() {
      cancel.abort();
      await current.stop();
      await kept;
    },
  };

  async function keep(): Promise<void> {
    for (;;) {
      const how = await current.ended;
      if (cancel.signal.aborted) return;
      plan.log('error', 'embedded database ended', { how });
      const next = await restart(plan, cancel.signal, (reason) => {
        why = reason;
        plan.log('error', 'embedded database not started', { why });
      });
      why = undefined;
      if (!next) return;
      current = next;
      if (cancel.signal.aborted) return next.stop();
      plan.log('warn', 'embedded database started again');
    }
  }
}

/** Retries until it works. @returns undefined once the signal aborts */
async function restart(
  plan: RunningPlan,
  signal: AbortSignal,
  onFailure: (why: string) => void,
): Promise<ServerProcess | undefined> {
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      // The dead server's backends may still be ending. The lock is free after the last one.
      const lock = await tryLock(plan.folder);
      if (lock) return await startOnce(plan, lock, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      onFailure(error instanceof Error ? error.message : '');
    }
    await pause(wait, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

async function startOnce(plan: RunningPlan, lock: FolderLock, signal: AbortSignal): Promise<ServerProcess> {
  const { folder, binaries, users, reachable, connection } = plan;
  let server: ServerProcess;
  let logged: number;
  try {
    if (lock.certain) await removeRemains(plan);
    await setLogAside(folder);
    const log = await openOwn(folder, folder.log, constants.O_CREAT | constants.O_APPEND, 0o600);
    try {
      logged = (await log.stat()).size;
      server = spawnServer({
        postgres: binaries.postgres,
        parameters: ['-D', clusterArgument(folder.cluster, reachable), ...serverParameters(connection.host)],
        cwd: folder.cluster,
        user: users.server,
        log: log.fd,
        lock: lock.descriptor,
      });
    } finally {
      await log.close();
    }
  } finally {
    await lock.close();
  }
  const how = await waitUntilReady(server, folder, connection, signal);
  if (how === undefined) return server;
  await server.stop();
  if (how === WRONG_PASSWORD)
    throw cannotEmbed(
      `Expected the password in ${folder.password} to open the database, got another one.`,
      'Restore that file from a backup',
    );
  throw endedEarly(how, await findReason(folder, logged), folder.log);
}

/**
 * Removes the files of a dead server. The lock proves that it is dead. A process id in a file may belong to another
 * process by now.
 */
async function removeRemains({ folder, connection }: RunningPlan): Promise<void> {
  await rm(join(folder.cluster, 'postmaster.pid'), { force: true });
  const socket = join(connection.host, `.s.PGSQL.${PORT}`);
  await rm(socket, { force: true });
  await rm(`${socket}.lock`, { force: true });
}

async function setLogAside({ log }: DataFolder): Promise<void> {
  const { size } = await stat(log).catch(() => ({ size: 0 }));
  if (size > LARGEST_LOG) await rename(log, `${log}.1`);
}

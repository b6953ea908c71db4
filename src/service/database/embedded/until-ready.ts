/** Waits until a server that was just started accepts connections, or says why it ended. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askReadiness, type Connection } from './accepts-queries.ts';
import { type DataFolder, readIfThere } from './data-folder.ts';
import type { ServerProcess } from './server-process.ts';

/** How a start ends when the server runs, but refuses the password of the folder. */
export const WRONG_PASSWORD = 'wrong password';

const POLL_MS = 20;
/** Recovery after a crash on a slow disk may take long. */
const LONGEST_START_MS = 120_000;

/** @returns undefined when the server is ready, or how it ended */
export async function waitUntilReady(
  server: ServerProcess,
  folder: DataFolder,
  connection: Connection,
  signal: AbortSignal,
): Promise<string | undefined> {
  let ended: string | undefined;
  void server.ended.then((how) => {
    ended = how;
  });
  const deadline = Date.now() + LONGEST_START_MS;
  while (Date.now() < deadline && !signal.aborted) {
    const readiness = (await saysReady(folder, server)) ? await askReadiness(connection) : 'starting';
    if (ended !== undefined) return ended;
    if (readiness === 'ready' || readiness === 'full') return undefined;
    if (readiness === WRONG_PASSWORD) return WRONG_PASSWORD;
    await pause(POLL_MS);
  }
  return ended ?? `no answer within ${LONGEST_START_MS / 1000} s`;
}

/** Whether the server wrote that it is ready. Where there is no lock, the file may be another server's. */
async function saysReady({ cluster }: DataFolder, { pid }: ServerProcess): Promise<boolean> {
  const lines = (await readIfThere(join(cluster, 'postmaster.pid')))?.split('\n');
  return lines?.[0] === String(pid) && lines[7]?.trim() === 'ready';
}

/** The server's own last word on why it ended. */
export async function findReason({ log }: DataFolder, from: number): Promise<string | undefined> {
  const text = await readFile(log).catch(() => Buffer.alloc(0));
  const lines = text.subarray(from).toString().split('\n').filter(Boolean);
  const last = lines.filter((line) => / (?:FATAL|PANIC): /.test(line)).at(-1) ?? lines.at(-1);
  return last?.replace(/^.* (?:FATAL|PANIC): +/, '').slice(0, 200);
}

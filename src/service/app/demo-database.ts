/** Opens the demo's database, or explains why the demo runs without one. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../core/log.ts';
import { DatabaseError } from '../database/database-error.ts';
import { isUnavailable } from '../database/unavailable.ts';
import { prepareDemoAccount } from '../demo/demo-account.ts';
import type { DemoData } from '../demo/demo-welcome.ts';
import { openParts, type Parts, type PartsOptions } from './parts.ts';

/** An embedded database takes a second at its first start. */
const PATIENCE_MS = 30_000;
const LOST = 'The connection to the database broke during the start. Start the demo again.';

/** @param onOpen called once there is a database to close */
export async function openDemoDatabase(
  options: Omit<PartsOptions, 'log'>,
  log: Log,
  onOpen: (parts: Parts) => void,
): Promise<{ parts: Parts | undefined; data: DemoData }> {
  const patience = new AbortController();
  let parts: Parts | undefined;
  try {
    parts = openParts({ ...options, log });
    onOpen(parts);
    await Promise.race([parts.ready, giveUpLater(parts, patience.signal)]);
    return {
      parts,
      data: { account: await prepareDemoAccount(parts.db, options.live !== undefined), what: parts.what() },
    };
  } catch (error) {
    if (!(error instanceof DatabaseError || isUnavailable(error))) throw error;
    void parts?.close(0);
    const reason = error instanceof DatabaseError ? error.message : LOST;
    return { parts: undefined, data: { account: undefined, reason } };
  } finally {
    patience.abort();
  }
}

async function giveUpLater({ what }: Parts, signal: AbortSignal): Promise<void> {
  await pause(PATIENCE_MS, undefined, { signal, ref: false }).catch(() => {});
  if (signal.aborted) return;
  throw new DatabaseError(
    `Expected ${what()} to answer within ${PATIENCE_MS / 1000} s, got no answer. Start it, or unset DATABASE_URL.`,
  );
}

/** Opens the demo's database, or explains why the demo runs without one. */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from '../database/database-error.ts';
import { isUnavailable } from '../database/unavailable.ts';
import { prepareDemoAccount } from '../demo/demo-account.ts';
import type { DemoData } from '../demo/demo-welcome.ts';
import { type OpenedDeps, type OpenOptions, openDeps } from './open-deps.ts';

/** An embedded database takes a second at its first start. */
const PATIENCE_MS = 30_000;
const LOST = 'The connection to the database broke during the start. Start the demo again.';

/** @param onOpen called once there is a database to close */
export async function openDemoDatabase(
  options: OpenOptions,
  onOpen: (opened: OpenedDeps) => void,
): Promise<{ opened: OpenedDeps | undefined; data: DemoData }> {
  const patience = new AbortController();
  let opened: OpenedDeps | undefined;
  try {
    opened = openDeps(options);
    onOpen(opened);
    await Promise.race([opened.ready, giveUpLater(opened, patience.signal)]);
    const account = await prepareDemoAccount(opened.deps.db, options.settings.live !== undefined);
    return { opened, data: { account, what: opened.what() } };
  } catch (error) {
    if (!(error instanceof DatabaseError || isUnavailable(error))) throw error;
    void opened?.close(0);
    const reason = error instanceof DatabaseError ? error.message : LOST;
    return { opened: undefined, data: { account: undefined, reason } };
  } finally {
    patience.abort();
  }
}

async function giveUpLater({ what }: OpenedDeps, signal: AbortSignal): Promise<void> {
  await pause(PATIENCE_MS, undefined, { signal, ref: false }).catch(() => {});
  if (signal.aborted) return;
  throw new DatabaseError(
    `Expected ${what()} to answer within ${PATIENCE_MS / 1000} s, got no answer. Start it, or unset DATABASE_URL.`,
  );
}

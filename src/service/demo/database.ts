/** Opens the demo's database, or says why the demo goes on without one. */
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_DURATIONS } from '../config/durations.ts';
import { DatabaseError } from '../database/failure.ts';
import type { DatabaseLocation } from '../database/location.ts';
import type { Log } from '../log.ts';
import { openParts, type Parts } from '../parts.ts';
import { prepareDemoAccount } from './account.ts';
import type { DemoData } from './welcome.ts';

/** An embedded database takes a second at its first start. */
const PATIENCE_MS = 30_000;

/** @param onOpen is called as soon as there is something that has to be closed */
export async function openDemoDatabase(
  location: DatabaseLocation,
  log: Log,
  onOpen: (parts: Parts) => void,
): Promise<{ parts: Parts | undefined; data: DemoData }> {
  const patience = new AbortController();
  let parts: Parts | undefined;
  try {
    parts = openParts({
      location,
      log,
      durations: DEFAULT_DURATIONS,
      billing: undefined,
      refundUnknown: true,
    });
    onOpen(parts);
    await Promise.race([parts.ready, giveUpLater(parts, patience.signal)]);
    return { parts, data: { account: await prepareDemoAccount(parts.db), what: parts.what() } };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    void parts?.close(0);
    return { parts: undefined, data: { account: undefined, reason: error.message } };
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

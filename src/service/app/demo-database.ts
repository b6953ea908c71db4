/** Opens the demo's database, or explains why the demo runs without one. */
import { within } from '../../shared/within.ts';
import { DatabaseError } from '../database/database-error.ts';
import { unreachable } from '../database/prepare-database.ts';
import { isUnavailable } from '../database/unavailable.ts';
import { prepareDemoAccount } from '../demo/demo-account.ts';
import type { DemoData } from '../demo/demo-welcome.ts';
import { type OpenedDeps, type OpenOptions, openDeps } from './open-deps.ts';

/** An embedded database takes a second at its first start. */
const PATIENCE_MS = 30_000;

/** @param onOpen called once there is a database to close */
export async function openDemoDatabase(
  options: OpenOptions,
  onOpen: (opened: OpenedDeps) => void,
): Promise<{ opened: OpenedDeps | undefined; data: DemoData }> {
  let opened: OpenedDeps | undefined;
  try {
    opened = openDeps(options);
    onOpen(opened);
    const ready = opened.ready.then(() => true);
    if (!(await within(PATIENCE_MS, ready, false))) throw silent(opened.what());
    const account = await prepareDemoAccount(opened.deps.db, options.settings.live !== undefined);
    return { opened, data: { account, what: opened.what() } };
  } catch (error) {
    if (!(error instanceof DatabaseError || isUnavailable(error))) throw error;
    void opened?.close(0);
    const { message: reason } =
      error instanceof DatabaseError ? error : unreachable(error, opened?.what() ?? '');
    return { opened: undefined, data: { account: undefined, reason } };
  }
}

const silent = (what: string) =>
  new DatabaseError(
    `Expected ${what} to answer within ${PATIENCE_MS / 1000} s, got no answer. Start it, or unset DATABASE_URL.`,
  );

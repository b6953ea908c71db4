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

export interface DemoDatabase {
  /** What a service takes while the database opens. Undefined if it cannot be opened. */
  readonly opened: OpenedDeps | undefined;
  /** Without an account, the demo runs without a database. */
  readonly data: Promise<DemoData>;
}

export function openDemoDatabase(options: OpenOptions): DemoDatabase {
  try {
    const opened = openDeps(options);
    return { opened, data: prepare(opened, options) };
  } catch (error) {
    return { opened: undefined, data: Promise.resolve(without(error)) };
  }
}

async function prepare(opened: OpenedDeps, { settings }: OpenOptions): Promise<DemoData> {
  try {
    const ready = opened.ready.then(() => true);
    if (!(await within(PATIENCE_MS, ready, false))) throw silent(opened.what());
    const account = await prepareDemoAccount(opened.deps.db, settings.live !== undefined);
    return { account, what: opened.what() };
  } catch (error) {
    const data = without(error, opened.what());
    void opened.close(0);
    return data;
  }
}

/** @throws what is a bug of the service */
function without(error: unknown, what = ''): DemoData {
  if (error instanceof DatabaseError) return { account: undefined, reason: error.message };
  if (isUnavailable(error)) return { account: undefined, reason: unreachable(error, what).message };
  throw error;
}

const silent = (what: string) =>
  new DatabaseError(
    `Expected ${what} to answer within ${PATIENCE_MS / 1000} s, got no answer. Start it, or unset DATABASE_URL.`,
  );

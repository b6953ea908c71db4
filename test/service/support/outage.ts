/** Makes a database unavailable, as its operator may. */
import { onTestFinished } from 'vitest';
import type { TestDatabase } from './database.ts';
import { databaseOnSameServer, runOnServer } from './server-commands.ts';

/** Refuses new connections and breaks the open ones, until the test ends. */
export async function takeAway(database: TestDatabase): Promise<void> {
  const admin = adminOf(database);
  await runOnServer(admin, `alter database ${database.name} with allow_connections false`);
  onTestFinished(() => bringBack(database));
  await runOnServer(
    admin,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`,
  );
}

export async function bringBack(database: TestDatabase): Promise<void> {
  await runOnServer(adminOf(database), `alter database ${database.name} with allow_connections true`);
}

const adminOf = ({ url }: TestDatabase) => databaseOnSameServer(url, 'postgres');

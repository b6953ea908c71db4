/** Opens the database for one command: the server of a URL, or the embedded one of a folder. */
import { silentLog } from '../service/core/log.ts';
import { type Database, openDatabase } from '../service/database/database.ts';
import { DatabaseError } from '../service/database/database-error.ts';
import type { DatabaseLocation } from '../service/database/database-location.ts';
import type { SchemaRule } from '../service/database/migrate.ts';
import { createSecrets } from '../service/database/secrets.ts';
import { within } from '../shared/within.ts';

/** One command runs one query at a time. */
const POOL_SIZE = 2;

/**
 * Opens the database. If a service runs on the folder, the command uses the server of that service. If a
 * server does not accept the connection, the command stops after a few seconds.
 *
 * @param patienceMs the longest wait until the database is ready, with its migrations; `undefined` for no limit
 * @param keys those that seal stored secrets
 * @throws {DatabaseError} if the database cannot be used
 */
export async function openForCommand(
  location: DatabaseLocation,
  patienceMs: number | undefined,
  schema: SchemaRule = 'require',
  keys: readonly Buffer[] = [],
): Promise<Database> {
  const secrets = createSecrets(keys);
  const options = { log: silentLog, poolSize: POOL_SIZE, visit: true, schema, secrets };
  const database = openDatabase(location, options);
  try {
    const ready = database.ready.then(() => true);
    if (await (patienceMs === undefined ? ready : within(patienceMs, ready, false))) return database;
  } catch (error) {
    await database.close();
    throw error;
  }
  // Closing waits for the current attempt. The command does not wait for it.
  database.close().catch(() => {});
  throw new DatabaseError(
    `Expected ${database.what} to be ready within ${patienceMs! / 1000} s, got no answer. Check the server, the space on its disk and other processes on the folder, or run migrate.`,
  );
}

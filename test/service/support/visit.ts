/** Embedded databases, as a command reaches them. */

import { silentLog } from '../../../src/service/core/log.ts';
import { openDatabase } from '../../../src/service/database/database.ts';
import type { Db } from '../../../src/service/database/schema.ts';

/** Visits an embedded database next to the service that keeps it, or alone. */
export async function visit<Result>(folder: string, use: (db: Db) => Promise<Result>): Promise<Result> {
  const visited = openDatabase({ folder }, { log: silentLog, visit: true });
  try {
    await visited.ready;
    return await use(visited.db);
  } finally {
    await visited.close();
  }
}

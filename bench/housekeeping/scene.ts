/** A service that gets requests, and its database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { columnTypes } from '../../src/service/database/column-types.ts';
import { startEmbedded } from '../../src/service/database/embedded/start-embedded.ts';
import type { Db, Schema } from '../../src/service/database/schema.ts';
import { type Server, startServer } from '../service/server.ts';

export interface Scene {
  readonly db: Db;
  /** It gets the requests. */
  readonly service: Server;
  readonly isQuick: boolean;
}

const CONNECTIONS = 6;

export async function inScene<Result>(
  isQuick: boolean,
  act: (scene: Scene) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-housekeeping-'));
  const database = await startEmbedded(folder);
  const { host, user, password, database: name } = database.connection;
  const url = `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`;
  const service = await startServer('test-results/bench/service/live-service.mjs', [url]);
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, types: columnTypes });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await act({ db, service, isQuick });
  } finally {
    await db.destroy();
    await service.stop();
    await database.stop();
    rmSync(folder, { recursive: true });
  }
}

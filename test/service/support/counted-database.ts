/** A pool that counts the round trips to the database, including those of transactions. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { columnTypes } from '../../../src/service/database/column-types.ts';
import type { Db, Schema } from '../../../src/service/database/schema.ts';

export interface CountedDatabase {
  readonly db: Db;
  /** The statements since the last call. */
  take(): string[];
  close(): Promise<void>;
}

export function countRoundTrips(url: string): CountedDatabase {
  const statements: string[] = [];
  const pool = new pg.Pool({ connectionString: url, max: 5, types: columnTypes });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    client.query = ((...parameters: unknown[]) => {
      statements.push(String(parameters[0]));
      return query(...parameters);
    }) as typeof client.query;
  });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, take: () => statements.splice(0), close: () => db.destroy() };
}

/** A connection of its own, outside the pool. What belongs to its session, such as a lock, ends with it. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { connectionOptions, limitSession, type Server } from './connection.ts';
import type { Db, Schema } from './schema.ts';

export interface Session {
  /** Queries fail once the connection has ended. They never run on another one. */
  readonly db: Db;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** Does not wait for the server, which may hang. */
  close(): void;
}

/** How long the server may take, in milliseconds. */
const PATIENCE_MS = 5_000;

export async function openSession(server: Server): Promise<Session> {
  const client = new pg.Client(connectionOptions(server, { query_timeout: PATIENCE_MS }));
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'error'] as const) client.on(event, () => resolve());
  });
  await client.connect();
  limitSession(client);
  const connection = { query: client.query.bind(client), release() {} };
  const pool = { connect: async () => connection, end: async () => {} };
  return {
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as never }) }),
    ended,
    close: () => void client.end().catch(() => {}),
  };
}

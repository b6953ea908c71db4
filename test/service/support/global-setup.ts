/** Gives every run of the tests one PostgreSQL server with a migrated template database, if a test asks for it. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../../src/service/database/migrate.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { databaseOnSameServer, runOnServer } from './server-commands.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A socket that sends the JSON of {@link TestServer} to each connection. */
    testServerSocket: string;
    /** An empty folder for what processes make once and all their test files read. */
    madeOnce: string;
  }
}

/** What a test file needs to make its own database. */
export interface TestServer {
  /** A database on the server in which databases can be created. */
  url: string;
  /** The name of the migrated database that is copied. */
  template: string;
}

/**
 * Environment: `TEST_DATABASE_URL` makes the tests use that server, as a user who may create databases.
 * `TEST_POSTGRES_BINARIES` is the folder of another PostgreSQL's binaries to start.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls this for each project, and provides what the root provides to all.
  if (!project.isRootProject()) return undefined;
  let embedded: PostgresServer | undefined;
  let asked: Promise<TestServer> | undefined;
  const start = async (): Promise<TestServer> => {
    const given = process.env.TEST_DATABASE_URL;
    if (!given) embedded = await startPostgresServer(process.env.TEST_POSTGRES_BINARIES);
    const url = given ?? embedded!.url();
    const template = `evw_template_${randomBytes(6).toString('hex')}`;
    await runOnServer(url, `create database ${template}`);
    const pool = new pg.Pool({ connectionString: databaseOnSameServer(url, template), max: 1 });
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    try {
      await migrate(db);
    } finally {
      await db.destroy();
    }
    return { url, template };
  };

  const socket = join(tmpdir(), `evw-tests-${process.pid}-${randomBytes(4).toString('hex')}.sock`);
  const listener = createServer((connection) => {
    connection.on('error', () => {});
    // Most runs need no database, so the server starts with the first connection.
    asked ??= start();
    asked.then(
      (server) => connection.end(JSON.stringify(server)),
      (error) => connection.end(JSON.stringify({ error: String(error) })),
    );
  });
  listener.listen(socket);
  await once(listener, 'listening');
  project.provide('testServerSocket', socket);
  const madeOnce = makeTemporaryFolder('evw-made-once-');
  project.provide('madeOnce', madeOnce);

  return async () => {
    listener.close();
    rmSync(socket, { force: true });
    rmSync(madeOnce, { recursive: true });
    const server = await asked?.catch(() => undefined);
    if (embedded) await embedded.remove();
    else if (server) await runOnServer(server.url, `drop database if exists ${server.template}`);
  };
}

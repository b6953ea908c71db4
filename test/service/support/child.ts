/** What a process that a test has started works with: the database of `DATABASE_URL`, a lease, and lines to the test. */
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { columnTypes } from '../../../src/service/database/column-types.ts';
import type { Schema } from '../../../src/service/database/schema.ts';
import { holdLease } from './process.ts';

/** @param max how many connections it has */
export async function openChild(max = 5) {
  const connectionString = process.env.DATABASE_URL!;
  const pool = new pg.Pool({ connectionString, max, types: columnTypes });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const processId = randomUUID();
  return { db, processId, lease: await holdLease(connectionString, processId) };
}

export const write = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

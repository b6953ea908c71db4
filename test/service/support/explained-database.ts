/** A pool that explains each statement as it is sent. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { columnTypes } from '../../../src/service/database/column-types.ts';
import type { Db, Schema } from '../../../src/service/database/schema.ts';

export interface ExplainedDatabase {
  readonly db: Db;
  /** How many buffers each statement since the last call has read. */
  take(): number[];
  close(): Promise<void>;
}

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** The statements that PostgreSQL does not explain. */
const UNEXPLAINED = /^(begin|start transaction|commit|rollback)\b/;

/** @param isRunAgain whether each statement then runs once more, for its rows. Otherwise, it has none */
export function explainAll(url: string, isRunAgain = false): ExplainedDatabase {
  const buffers: number[] = [];
  const pool = new pg.Pool({ connectionString: url, max: 1, types: columnTypes });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as unknown as (
      text: string,
      values: readonly unknown[],
    ) => Promise<pg.QueryResult<{ 'QUERY PLAN': [{ Plan: Plan }] }>>;
    client.query = (async (text: string, values: readonly unknown[]) => {
      if (UNEXPLAINED.test(text)) return query(text, values);
      const { rows } = await query(`explain (analyze, buffers, format json) ${text}`, values);
      const [{ Plan: plan }] = rows[0]!['QUERY PLAN'];
      buffers.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
      return isRunAgain ? query(text, values) : { command: 'EXPLAIN', rows: [] };
    }) as unknown as typeof client.query;
  });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, take: () => buffers.splice(0), close: () => db.destroy() };
}

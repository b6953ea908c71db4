/**
 * A database that explains what the stores send. Everything happens in one transaction, which is rolled back, so the
 * filled database stays as it is.
 */
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { columnTypes } from '../../src/service/database/column-types.ts';
import type { Db, Schema } from '../../src/service/database/schema.ts';
import { carrying, IN_CLEAR } from '../../src/service/database/secrets.ts';

/** What a statement costs. */
export interface Cost {
  readonly sql: string;
  /** With its triggers and its planning. */
  readonly ms: number;
  /** The pages that it reads, whether they are in memory or not, with its triggers and its planning. */
  readonly buffers: number;
  /** The tables that it reads from the first row to the last, also in functions and triggers, and how many rows that is. */
  readonly scans: Readonly<Record<string, number>>;
  /** How its plan reads each table. */
  readonly reads: readonly string[];
}

export interface Recorder {
  /** Runs a function, and returns what each of its statements costs. `quietly` runs something that does not count. */
  record(run: (db: Db, quietly: Quietly) => Promise<unknown>): Promise<Cost[]>;
  close(): Promise<void>;
}

export type Quietly = <Value>(run: () => Promise<Value>) => Promise<Value>;

/** Runs a statement with what its triggers do, whose pages `explain` does not count. */
const RUN = `create function pg_temp.run_whole(statement text) returns void language plpgsql as $$
  begin execute statement; end
$$`;
/** The fewest count, because a first run also reads the catalogue, and any may be disturbed. */
const RUNS = 3;

const SAVEPOINTS: readonly (readonly [RegExp, string])[] = [
  [/^(begin|start transaction)\b/, 'savepoint of_store'],
  [/^commit$/, 'release savepoint of_store'],
  [/^rollback$/, 'rollback to savepoint of_store'],
];

/** @param isSmall whether the tables are so small that the planner would read them whole although there is an index */
export async function openRecorder(url: string, isSmall = false): Promise<Recorder> {
  const client = new pg.Client({ connectionString: url, types: columnTypes });
  await client.connect();
  await client.query(RUN);
  if (isSmall) await client.query('set enable_seqscan = off');
  let costs: Cost[] | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const send = async (text: string, values: readonly unknown[]) => {
    const [, savepoint] = SAVEPOINTS.find(([pattern]) => pattern.test(text)) ?? [];
    if (savepoint !== undefined) return client.query(savepoint);
    if (costs) costs.push(await explain(client, text, values));
    return client.query(text, [...values]);
  };
  const connection: PostgresPoolClient = {
    // One after the other, because a statement becomes several.
    query: ((text: string, values: readonly unknown[]) => {
      const sent = last.then(() => send(text, values));
      last = sent.catch(() => {});
      return sent;
    }) as unknown as PostgresPoolClient['query'],
    release: () => {},
  };
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: { connect: async () => connection, end: async () => {} } }),
    plugins: carrying(IN_CLEAR),
  });

  return {
    async record(run) {
      const found: Cost[] = [];
      const quietly: Quietly = async (inner) => {
        costs = undefined;
        try {
          return await inner();
        } finally {
          costs = found;
        }
      };
      await client.query('begin');
      costs = found;
      try {
        await run(db, quietly);
      } finally {
        costs = undefined;
        await client.query('rollback');
      }
      return found;
    },
    async close() {
      await db.destroy();
      await client.end();
    },
  };
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Node[];
}

interface Explained {
  readonly Plan: Node;
  readonly 'Execution Time': number;
}

async function explain(client: pg.Client, text: string, values: readonly unknown[]): Promise<Cost> {
  const before = await countScans(client);
  const { Plan } = await undone(client, `explain (analyze, buffers, format json) ${text}`, values);
  const after = await countScans(client);
  const whole: Explained[] = [];
  const inOne = `explain (analyze, buffers, format json) select pg_temp.run_whole(${literal(withLiterals(text, values))})`;
  while (whole.length < RUNS) whole.push(await undone(client, inOne, []));
  const scans = [...after].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const);
  return {
    sql: text,
    ms: Math.min(...whole.map((one) => one['Execution Time'])),
    buffers: Math.min(
      ...whole.map(({ Plan: plan }) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']),
    ),
    scans: Object.fromEntries(scans.filter(([, rows]) => rows > 0)),
    reads: [...new Set(readsOf(Plan))],
  };
}

async function undone(client: pg.Client, text: string, values: readonly unknown[]): Promise<Explained> {
  await client.query('savepoint of_bench');
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': Explained[] }>(text, [...values]);
    return rows[0]!['QUERY PLAN'][0]!;
  } finally {
    await client.query('rollback to savepoint of_bench; release savepoint of_bench');
  }
}

/** The rows that this transaction has read by scans of whole tables. They include those of functions and triggers. */
async function countScans(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; rows: number }>(
    'select relname as name, seq_tup_read as rows from pg_stat_xact_user_tables where seq_scan > 0',
  );
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}

const readsOf = (node: Node): string[] => [
  ...(node['Relation Name'] ? [`${node['Node Type']} on ${node['Relation Name']}`] : []),
  ...(node['Index Name'] ? [`${node['Node Type']} by ${node['Index Name']}`] : []),
  ...(node.Plans ?? []).flatMap(readsOf),
];

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The statement with its parameters in it. `pg` sends them as texts without a type, so they are that here too. */
export const withLiterals = (text: string, values: readonly unknown[]): string =>
  text.replace(/\$(\d+)/g, (_, number) => {
    const value = values[Number(number) - 1];
    return value === null || value === undefined ? 'null' : literal(textOf(value));
  });

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const elementOf = (value: unknown): string =>
  value === null || value === undefined ? 'null' : `"${textOf(value).replace(/[\\"]/g, '\\$&')}"`;

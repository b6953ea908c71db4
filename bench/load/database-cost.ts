/** Measures the rows and bytes of a verification in the database. They depend on the schema, and not on the machine. */
import { sql } from 'kysely';
import type { Db } from '../../src/service/database/schema.ts';
import { type Figure, round } from '../report.ts';

/** The size of PostgreSQL's log, and the numbers of live verifications and batch addresses. */
interface Mark {
  readonly walBytes: number;
  readonly live: number;
  readonly rows: number;
}

/** Bytes. */
export interface DatabaseCost {
  readonly walOfLive: number;
  readonly walOfRow: number;
  readonly ledgerRow: number;
  readonly batchRow: number;
  readonly ledgerRowsOfLive: number;
}

/** The log begins with the creation of the database, which is small compared with thousands of verifications. */
export async function readLog(db: Db): Promise<Mark> {
  const { rows } = await sql<Mark>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes",
      (select count(*) from ledger where why = 'verification')::float8 as live,
      (select count(*) from batch_rows)::float8 as rows
  `.execute(db);
  return rows[0]!;
}

/**
 * @param from before any verification
 * @param between after the live verifications, and before the batches
 */
export async function readCost(db: Db, from: Mark, between: Mark): Promise<DatabaseCost> {
  const now = await readLog(db);
  const { rows } = await sql<{ ledger: number; entries: number; batch: number; refunds: number }>`
    select pg_total_relation_size('ledger')::float8 as ledger, pg_total_relation_size('batch_rows')::float8 as batch,
      count(*)::float8 as entries, (count(*) filter (where why = 'refund'))::float8 as refunds
    from ledger
  `.execute(db);
  const { ledger, entries, batch, refunds } = rows[0]!;
  return {
    walOfLive: (between.walBytes - from.walBytes) / (between.live - from.live),
    walOfRow: (now.walBytes - between.walBytes) / (now.rows - between.rows),
    ledgerRow: ledger / entries,
    batchRow: batch / now.rows,
    ledgerRowsOfLive: 1 + refunds / now.live,
  };
}

export function reportRows(cost: DatabaseCost): Figure {
  const bytes = (value: number) => `${round(value)} B`;
  return {
    title: 'What the database stores and logs',
    how: "One process. Sizes are those of the tables with their indexes after the batches, divided by their rows. The log is PostgreSQL's write-ahead log, with the full images of pages after a checkpoint. The service deletes the row of a live verification when it ends, so only its rows of the ledger stay. The address and the result of a batch stay until their retention is over.",
    head: ['', 'stored', 'written to the log'],
    rows: [
      [
        'a live verification',
        `${bytes(cost.ledgerRow * cost.ledgerRowsOfLive)} (${round(cost.ledgerRowsOfLive)} rows of the ledger)`,
        bytes(cost.walOfLive),
      ],
      ['an address of a batch', bytes(cost.batchRow), bytes(cost.walOfRow)],
    ],
    targets: [],
  };
}

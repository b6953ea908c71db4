/** Writes a backup of all lasting data at one moment, while the service runs. */
import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from '../database-error.ts';
import { MIGRATIONS, migrationsOf } from '../migrate.ts';
import { isUnavailable } from '../unavailable.ts';
import { type BackupHead, FORMAT_VERSION, type RowCounts } from './backup-format.ts';
import { COPIED_TABLES } from './copy-database.ts';
import { type Connection, columnsOf, readRows, settleFormats } from './table-rows.ts';

export interface BackupOptions {
  /** The version of this program. */
  readonly program: string;
  /** Whether the destination stays open afterwards, as standard output does. */
  readonly staysOpen?: boolean;
  /** Called once if the backup takes long, and so holds up the cleaning of the database. */
  readonly onLong?: (() => void) | undefined;
  /** How long that is, in milliseconds. @default 10 minutes */
  readonly longMs?: number | undefined;
}

const LONG_MS = 600_000;

/** A replica says that it cancels a reader and hangs up. Where a statement was on its way, the words are lost. */
const REPLICA_ENDED =
  'Expected the replica to let the backup read to its end, got a broken connection. If its log tells of a conflict with recovery, set hot_standby_feedback = on at the replica, or raise its max_standby_streaming_delay. Then run the command again.';

/** A summary of a backup. */
export type Backup = { readonly head: BackupHead; readonly rows: RowCounts };

/**
 * Reads in one transaction, so that all rows are from one moment. It does not migrate, so the schema may be older than
 * this program's.
 *
 * @throws {DatabaseError} if the database has no tables of the service, or those of a newer version, or if a replica
 *   ended the connection
 */
export async function writeBackup<Tables>(
  db: Kysely<Tables>,
  destination: Writable,
  { program, staysOpen = false, onLong = () => {}, longMs = LONG_MS }: BackupOptions,
): Promise<Backup> {
  const { isReplica, holdsUp } = await roleOf(db);
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (from) => {
        await settleFormats(from);
        const head = await readHead(from as unknown as Kysely<unknown>, program);
        const rows: Record<string, number> = {};
        const lines = Readable.from(linesOf(from, head, rows), { objectMode: false });
        const long = holdsUp ? setTimeout(onLong, longMs) : undefined;
        try {
          await pipeline(lines, createGzip(), destination, { end: !staysOpen });
        } finally {
          clearTimeout(long);
        }
        return { head, rows };
      });
  } catch (error) {
    throw isReplica && isUnavailable(error) ? new DatabaseError(REPLICA_ENDED, { cause: error }) : error;
  }
}

/**
 * Whether the server is a replica, and whether old versions of rows stay while a backup reads. A replica without feedback
 * cancels it instead.
 */
async function roleOf<Tables>(db: Kysely<Tables>): Promise<{ isReplica: boolean; holdsUp: boolean }> {
  const { rows } = await sql<{ isReplica: boolean; holdsUp: boolean }>`
    select is_replica as "isReplica", not is_replica or current_setting('hot_standby_feedback') = 'on' as "holdsUp"
    from pg_is_in_recovery() as is_replica
  `.execute(db);
  return rows[0]!;
}

async function readHead(db: Kysely<unknown>, program: string): Promise<BackupHead> {
  const migrations = await migrationsOf(db);
  if (migrations.length === 0)
    throw new DatabaseError('Expected a database of the service, got one without its tables. Name another.');
  const unknown = migrations.find((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown !== undefined)
    throw new DatabaseError(
      `The database has migration ${unknown}, which this version does not know. Back it up with the version that made it, or a newer one.`,
    );
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const createdAt = rows[0]!.now.toISOString();
  return { format: 'email-verify-backup', version: FORMAT_VERSION, program, createdAt, migrations };
}

/** @param counts gets the number of rows of each table */
async function* linesOf(
  db: Connection,
  head: BackupHead,
  counts: Record<string, number>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (lines: readonly unknown[]) => {
    const bytes = toBytes(lines);
    hash.update(bytes);
    return bytes;
  };
  yield hashed([head]);
  for (const table of COPIED_TABLES) {
    const columns = await columnsOf(db, table);
    // A later migration creates this table.
    if (columns.length === 0) continue;
    yield hashed([{ table, columns }]);
    counts[table] = 0;
    for await (const rows of readRows(db, table)) {
      counts[table] += rows.length;
      yield hashed(rows);
    }
  }
  yield toBytes([{ rows: counts, sha256: hash.digest('hex') }]);
}

function toBytes(lines: readonly unknown[]): Buffer {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

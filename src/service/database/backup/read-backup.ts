/** Reads a backup, and checks that it is complete. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import {
  BackupError,
  type BackupHead,
  EndSchema,
  FORMAT_VERSION,
  HeadSchema,
  TableSchema,
} from './backup-format.ts';
import { cutOff, linesOf } from './backup-lines.ts';

/** Rows of one table. The first chunk of a table can be empty. */
export interface RowChunk {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/** A backup whose head has been read. */
export interface OpenBackup {
  readonly head: BackupHead;
  /**
   * The rows of all tables. It throws a `BackupError` if the file ends too early, so do not commit the rows before the
   * end.
   */
  readonly chunks: AsyncIterable<RowChunk>;
}

/** The size of a chunk, in rows and in bytes. */
const MOST_ROWS = 1_000;
const MOST_BYTES = 1_000_000;

/** @throws {BackupError} if the file is not a backup, or one that this program cannot read */
export async function readBackup(source: Readable): Promise<OpenBackup> {
  const lines = linesOf(source);
  const { value: line } = await lines.next();
  if (line === undefined) throw cutOff();
  const head = parse(line);
  if (!isOf(HeadSchema, head)) throw new BackupError('Expected a backup, got another file. Use a backup.');
  if (head.version > FORMAT_VERSION)
    throw new BackupError(
      `Expected a backup in format ${FORMAT_VERSION} or older, got format ${head.version}. Use version ${head.program} of the program, or a newer one.`,
    );
  return { head, chunks: chunksOf(lines, line) };
}

async function* chunksOf(lines: AsyncIterable<Buffer>, head: Buffer): AsyncGenerator<RowChunk> {
  const hash = createHash('sha256').update(head);
  const counts: Record<string, number> = {};
  let table: Static<typeof TableSchema> | undefined;
  let rows: string[] = [];
  let bytes = 0;
  let isEnded = false;
  const take = (): RowChunk[] => {
    if (!table) return [];
    const chunk = { ...table, rows };
    counts[table.table] = (counts[table.table] ?? 0) + rows.length;
    rows = [];
    bytes = 0;
    return [chunk];
  };
  for await (const line of lines) {
    if (isEnded) throw damaged();
    const value = parse(line);
    if (typeof value === 'string') {
      if (!table) throw damaged();
      rows.push(value);
      bytes += line.length;
      if (rows.length >= MOST_ROWS || bytes >= MOST_BYTES) yield* take();
    } else if (isOf(TableSchema, value)) {
      yield* take();
      table = value;
    } else if (isOf(EndSchema, value)) {
      yield* take();
      isEnded = true;
      const isWhole = value.sha256 === hash.digest('hex') && Value.Equal(value.rows, counts);
      if (!isWhole) throw damaged();
      continue;
    } else throw damaged();
    hash.update(line);
  }
  if (!isEnded) throw cutOff();
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    throw new BackupError('Expected a backup, got a file that is damaged, or not a backup. Use another one.');
  }
}

function isOf<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return Value.Check(schema, value);
}

const damaged = () => new BackupError('Expected a whole backup, got a damaged one. Use another one.');

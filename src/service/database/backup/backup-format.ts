/**
 * The file of a backup: gzip (RFC 1952) of lines of JSON.
 *
 * 1. The head: what made it, and the migrations of the database that it was made from.
 * 2. For each table, an object with its name and columns, then its rows. A row is a string: the text that PostgreSQL
 *    writes and reads a row by. A table comes after those that it refers to.
 * 3. The end: how many rows each table has, and the SHA-256 of all bytes before this line. Without it, the file is cut off.
 */
import { type Static, Type } from '@sinclair/typebox';

/** Increases when older programs can no longer read the file. */
export const FORMAT_VERSION = 1;

export const HeadSchema = Type.Object({
  format: Type.Literal('email-verify-backup'),
  version: Type.Integer(),
  /** The version of the program that made it. */
  program: Type.String(),
  createdAt: Type.String(),
  /** The migrations of the database, the oldest first. */
  migrations: Type.Array(Type.String(), { minItems: 1 }),
});
export type BackupHead = Static<typeof HeadSchema>;

export const TableSchema = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()) });

/** How many rows each table has. */
export type RowCounts = Readonly<Record<string, number>>;

export const EndSchema = Type.Object({
  rows: Type.Record(Type.String(), Type.Integer()),
  sha256: Type.String(),
});

/** The file is not a backup, is incomplete, or cannot be used by this program. The message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

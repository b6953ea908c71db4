/** The messages between the service and the process that reads a list. */
import type { ListFacts } from './read-list.ts';

/** The process gets the file already open, because the file has no name that others could open. */
export const FILE_DESCRIPTOR = 4;

export type ToProcess =
  | { readonly kind: 'read'; readonly fileName: string | undefined; readonly codec?: string | undefined }
  | { readonly kind: 'next' };

/** Some rows of a table, in its order. */
export interface Portion {
  /** Which table of the file they are from. Tables come one after the other. */
  readonly table: number;
  /** The number of the first one, from 0. */
  readonly from: number;
  /** A JSON array with an array for each row. */
  readonly json: string;
  /** A JSON array with the numbers of each row, by column, or null for a row without any. Null if no row has any. */
  readonly numbers: string | null;
  /** The number of each row in the file, from 1. Empty if the file has no empty rows between them. */
  readonly fileRows: readonly number[];
  /** The numbers of those that the spreadsheet hides. */
  readonly hidden: readonly number[];
  readonly isLast: boolean;
}

/** The tables of a file: one, or one of each sheet with addresses. */
export interface FileFacts {
  readonly tables: readonly ListFacts[];
  /** Which of them is probably meant. */
  readonly chosen: number;
}

export type FromProcess =
  | ({ readonly kind: 'facts' } & FileFacts)
  | ({ readonly kind: 'rows' } & Portion)
  | { readonly kind: 'fault'; readonly message: string };

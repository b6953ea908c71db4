/**
 * Writes results as CSV (RFC 4180): CRLF at the end of each line, quotes where they are needed, UTF-8 without a byte order
 * mark.
 */
import { type Options, stringify } from 'csv-stringify/sync';
import { type BatchResult, RESULT_FIELDS } from '../fields.ts';

export const CSV = {
  record_delimiter: 'windows',
  // With a custom record delimiter, the library does not quote a single CR or LF by default.
  quote_record_delimiter: true,
  escape_formulas: true,
  cast: { boolean: String },
} as const satisfies Options;

/** The columns of a batch, in their order. */
export function columnsOf(responseFields: readonly string[] | null): readonly string[] {
  return responseFields ?? RESULT_FIELDS;
}

/** The line with the names. */
export function csvHead(columns: readonly string[]): string {
  return stringify([columns], { record_delimiter: 'windows' });
}

/**
 * Null is an empty cell. A spreadsheet would run a cell that begins with `= + - @`, a tab or a carriage return as a
 * formula, so such a cell gets an apostrophe.
 */
export function csvLines(columns: readonly string[], results: readonly BatchResult[]): string {
  return stringify(
    results.map((result) => columns.map((column) => result[column as keyof BatchResult])),
    {
      ...CSV,
      // Without quotes, a line with one empty cell would be an empty line, which readers skip.
      quoted_empty: columns.length === 1,
    },
  );
}

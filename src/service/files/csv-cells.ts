/**
 * Writes CSV (RFC 4180): CRLF at the end of each line, quotes where they are needed, or as another file has them. No cell
 * of the file runs as a formula, whichever separator a spreadsheet uses.
 */
import { type Options, stringify } from 'csv-stringify/sync';
import { BARE, type CsvStyle, RFC_4180 } from './csv-style.ts';

export type Cell = string | number | boolean | null;

/** Begins a file for people, because Excel does not recognise UTF-8 without it. Programs may not expect it. */
export const BYTE_ORDER_MARK = '\ufeff';

export interface CsvOptions {
  /** @default RFC 4180 */
  readonly style?: CsvStyle;
  /** Whether texts such as `+49 171 1234567` stay as they are. They are formulas, but harmless ones. @default false */
  readonly keepsNumbers?: boolean;
}

const OPTIONS = {
  // With a custom record delimiter, the library does not quote a single CR or LF by default.
  quote_record_delimiter: true,
} as const satisfies Options;

/** The library's own defence sees the beginning of a cell only. */
const castsOf = (keepsNumbers: boolean, { separator, quotes }: CsvStyle) => ({
  boolean: String,
  string: (text: string) => {
    const value = defuse(text, { keepsNumbers, hasCommas: separator === ',' });
    return quotes === 'texts' && value !== '' && !BARE.test(value) ? { value, quoted: true } : value;
  },
});

/** All lines, each with its end. Null is an empty cell. */
export function csvLines(
  rows: readonly (readonly unknown[])[],
  { keepsNumbers = false, style = RFC_4180 }: CsvOptions = {},
): string {
  const { separator, lineEnd, quotes, quotesEmpty } = style;
  return stringify(
    rows.map((row) => [...row]),
    {
      ...OPTIONS,
      ...{ delimiter: separator, record_delimiter: lineEnd, quoted: quotes === 'all' },
      cast: castsOf(keepsNumbers, style),
      // Without quotes, a line with one empty cell would be an empty line, which readers skip.
      quoted_empty: quotesEmpty || rows[0]?.length === 1,
    },
  );
}

/** A cell that begins with a tab or a line end. Some spreadsheets drop it, and then see what follows. */
const DROPPED = /^[\t\r\n]/;

/**
 * Where a spreadsheet may begin a formula: at the beginning of our cell, and after each separator or line break in it. If
 * the spreadsheet's separator is another one than ours, the quotes around our cell do not hold it together. A quote of the
 * cell then opens the next one. If commas separate our cells, a comma in a cell needs nothing, because the quotes hold.
 */
const FORMULA = /(?:^|[;|\t\n\r\v\f\u0085\u2028\u2029]"*)(?=[=+\-@＝＋－＠])/g;
const FORMULA_OR_AFTER_COMMA = /(?:^|[,;|\t\n\r\v\f\u0085\u2028\u2029]"*)(?=[=+\-@＝＋－＠])/g;
const COMMA = /[,;|\t\n\r\v\f\u0085\u2028\u2029]/g;
const SEPARATOR = /[;|\t\n\r\v\f\u0085\u2028\u2029]/g;

/** A number or a telephone number. */
const NUMBER = /^[+-][\d .,()/-]*$/;

/** @param hasCommas whether commas separate the cells of the file @default true */
interface DefuseOptions {
  readonly keepsNumbers?: boolean;
  readonly hasCommas?: boolean;
}

/** The text with an apostrophe where a spreadsheet would begin a formula. */
export function defuse(text: string, { keepsNumbers = false, hasCommas = true }: DefuseOptions = {}): string {
  const defused = text.replace(hasCommas ? FORMULA : FORMULA_OR_AFTER_COMMA, (before, place: number) =>
    keepsNumbers &&
    NUMBER.test(cellAt(text, place + before.length, before.startsWith(',') ? COMMA : SEPARATOR))
      ? before
      : `${before}'`,
  );
  return DROPPED.test(defused) ? `'${defused}` : defused;
}

/** The text from this place to the next separator. */
function cellAt(text: string, start: number, separator: RegExp): string {
  separator.lastIndex = start;
  return text.slice(start, separator.exec(text)?.index);
}

/**
 * Writes CSV (RFC 4180): CRLF at the end of each line, quotes where they are needed, or as another file has them. No cell
 * of the file runs as a formula, whichever separator a spreadsheet uses.
 */
import { stringify } from 'csv-stringify/sync';
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

/** All lines, each with its end. Null is an empty cell. */
export function csvLines(
  rows: readonly (readonly unknown[])[],
  { keepsNumbers = false, style = RFC_4180 }: CsvOptions = {},
): string {
  const { separator, lineEnd, quotes, quotesEmpty } = style;
  const castText = (value: string) =>
    quotes === 'texts' && value !== '' && !BARE.test(value) ? { value, quoted: true } : value;
  return stringify(
    // The library's own defence sees the beginning of a cell only.
    rows.map((row) => row.map((_, index) => defuse(row, index, keepsNumbers, separator))),
    {
      // With a custom record delimiter, the library does not quote a single CR or LF by default.
      quote_record_delimiter: true,
      ...{ delimiter: separator, record_delimiter: lineEnd, quoted: quotes === 'all' },
      cast: { boolean: String, string: castText },
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

const SEPARATOR = /[;|\t\n\r\v\f\u0085\u2028\u2029]/;
const LINE_END = /[\n\r\v\f\u0085\u2028\u2029]/;
/** Where the cell of a spreadsheet with this separator ends. */
const ENDS: Readonly<Record<string, RegExp>> = {
  ',': /[,\n\r\v\f\u0085\u2028\u2029]/,
  ';': /[;\n\r\v\f\u0085\u2028\u2029]/,
  '|': /[|\n\r\v\f\u0085\u2028\u2029]/,
  '\t': /[\t\n\r\v\f\u0085\u2028\u2029]/,
};

/** A number or a telephone number. */
const NUMBER = /^[+-][\d .,()/-]*$/;

/**
 * Numbers, prices and separators, and then the end, or a letter that no operator connects with them: no spreadsheet
 * reads on. A tab connects them as a space does, unless it is the spreadsheet's separator. `E5` could be the exponent. As
 * a second line of defence, no call and no other program (`!`) follows.
 */
const NO_FORMULA =
  /^[+-][\d\s.,;|():%/€£¥-]*(?:$|(?=\p{L})(?!e[+-]?\d)(?<=[\d,;|)%€£¥]\s*)(?!.*(?:!|[\p{L}\d]\()))/isu;

/** The cell, with an apostrophe where a spreadsheet would begin a formula. @param separator of the file */
function defuse(row: readonly unknown[], index: number, keepsNumbers: boolean, separator: string): unknown {
  const cell = row[index];
  if (typeof cell !== 'string' && typeof cell !== 'number') return cell;
  const text = String(cell);
  const keeps = keepsNumbers || typeof cell === 'number';
  const defused = text.replace(
    separator === ',' ? FORMULA : FORMULA_OR_AFTER_COMMA,
    (before, place: number) =>
      keeps && isHarmless(text.slice(place + before.length), before.charAt(0)) ? before : `${before}'`,
  );
  if (DROPPED.test(defused)) return `'${defused}`;
  return defused === text ? cell : defused;

  /** @param before the separator or line break before it. Empty at the beginning of our cell */
  function isHarmless(rest: string, before: string): boolean {
    // A comma is a separator for few spreadsheets if it is none of the file, and prices have it: `49,- €`.
    if (before !== ',' && !NUMBER.test(before === '' ? rest : upTo(SEPARATOR, rest))) return false;
    // Another spreadsheet's cell begins here only if our line does.
    if (before === '' && index > 0) return true;
    // It goes on in our next cells. At the beginning of a line, any separator may end it.
    const end = ENDS[before] ?? LINE_END;
    let seen = upTo(end, rest);
    if (seen === rest)
      for (const next of row.slice(index + 1)) {
        const whole = String(next ?? '');
        const part = upTo(end, whole);
        seen += separator + part;
        if (part !== whole) break;
      }
    return NO_FORMULA.test(seen);
  }
}

/** The text up to the first match. */
function upTo(end: RegExp, text: string): string {
  const place = text.search(end);
  return place < 0 ? text : text.slice(0, place);
}

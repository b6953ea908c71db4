/** Reads a text as a table with separators, or as a plain list of addresses. */
// Papa Parse detects the separator, agrees with spreadsheets where RFC 4180 is silent, and reads a million cells in 0.1
// s.
import Papa from 'papaparse';
import { figure } from '../../core/format.ts';
import { type CsvStyle, RFC_4180 } from '../../files/csv-style.ts';
import { hasAddress } from './address-in.ts';
import { ListFault } from './list-fault.ts';
import { Table } from './list-table.ts';
import { styleOf } from './text-style.ts';

export interface TextList {
  readonly table: Table;
  /** How the table is written. Absent for one without rows. */
  readonly style?: CsvStyle;
  /** Whether it is a plain list of addresses. */
  readonly isPlain?: boolean;
  /** Whether its first line names the separator, as Excel writes it. */
  readonly namesSeparator?: boolean;
}

const SEPARATORS = [',', ';', '\t', '|'];
/** Empty rows would disturb the detection. */
const DETECTION = { delimitersToGuess: SEPARATORS, skipEmptyLines: 'greedy', preview: 1 } as const;
/** Excel may name the separator in the first line. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;
/** Most entries of a plain list are addresses. A table also has names and figures. */
const SHARE_OF_LIST = 0.5;

/**
 * @param separator detected if it is empty
 * @throws {ListFault} if rows would be lost
 */
export function readTable(text: string, separator = ''): TextList {
  const named = SEPARATOR_LINE.exec(text);
  const table = new Table();
  const rest = named ? text.slice(named[0].length) : text;
  let style: CsvStyle | undefined;
  // Spreadsheets count empty rows, and a row with line ends in its cells once. They do not show the line of the separator.
  let number = 0;
  Papa.parse<string[]>(rest, {
    delimiter: named?.[1] ?? (separator || Papa.parse<string[]>(rest, DETECTION).meta.delimiter),
    step: ({ data, errors, meta: { delimiter, linebreak } }) => {
      number += 1;
      if (data.every((cell) => cell.trim() === '')) return;
      style ??= styleOf(rest, delimiter, linebreak);
      if (hasLostRows(data, errors)) throw new ListFault(notClosed(number));
      table.add(data, { number });
    },
  });
  return { table, ...(style && { style }), ...(named && { namesSeparator: true }) };
}

/**
 * Whether a cell that begins with a quotation mark has taken over the rows after it. A mark in the middle of a cell is
 * harmless if the cell ends in its row.
 */
const hasLostRows = (cells: readonly string[], errors: readonly Papa.ParseError[]): boolean =>
  errors.some(({ code }) => code === 'MissingQuotes') ||
  (errors.some(({ code }) => code === 'InvalidQuotes') && cells.some((cell) => /[\r\n]/.test(cell)));

const notClosed = (row: number): string =>
  `A quotation mark in row ${figure(row)} does not close where its cell ends, so the list was not stored. Otherwise the rows after it would be lost. Correct the quotation marks of that row, or remove them, and try again.`;

/** Reads a text that may be a table or a plain list, such as a pasted one. */
export function readAnyText(text: string): TextList {
  const list = readPlainList(text, false);
  if ((list.addresses[0] ?? 0) < list.rows.length * SHARE_OF_LIST) {
    const read = readTable(text);
    if (read.table.columns > 1) return read;
  }
  return { table: readPlainList(text, true), style: styleOfPlain(text), isPlain: true };
}

/** A list on one line gets the line ends that Papa Parse assumes for a table on one line. */
function styleOfPlain(text: string): CsvStyle {
  const [lineEnd = '\n'] = /\r\n|\r|\n/.exec(text) ?? [];
  return { ...RFC_4180, lineEnd };
}

/**
 * An entry on each line, or several with commas, semicolons or spaces between them.
 *
 * @param splitsAll whether a line with one address is split as well. The rows of a table look like that, too
 */
function readPlainList(text: string, splitsAll: boolean): Table {
  const table = new Table();
  let number = 1;
  for (const [index, part] of text.split(/([\r\n]+)/).entries()) {
    if (index % 2 === 1) number += part.replaceAll('\r\n', '\n').length;
    else for (const entry of entriesOf(part, splitsAll)) table.add([entry], { number });
  }
  return table;
}

function entriesOf(line: string, splitsAll: boolean): string[] {
  const hasSeveral = line.indexOf('@') !== line.lastIndexOf('@');
  const parts = hasSeveral || splitsAll ? partsOf(line) : [];
  // A name with a comma belongs to the address in angle brackets after it.
  if (!hasSeveral && !parts.some((part) => !part.includes('<') && hasAddress(part)))
    return [withoutEnds(line)];
  return parts.flatMap((part) => {
    const entry = part.trim();
    if (entry === '' || hasAddress(entry)) return [entry];
    const words = entry.split(/\s+/);
    // Only addresses are separated by mere spaces.
    return words.every((word) => word.includes('@')) ? words : [entry];
  });
}

/** Parts that may contain separators: a name in quotes, and an address in angle brackets. */
const CLOSES: Readonly<Record<string, string>> = { '"': '"', '<': '>' };

/**
 * Splits at commas and semicolons. On long lines, a regular expression would take too much time or overflow the stack.
 */
function partsOf(line: string): string[] {
  const parts: string[] = [];
  const last = { '"': line.lastIndexOf('"'), '>': line.lastIndexOf('>') };
  let start = 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!;
    const close = CLOSES[character] as keyof typeof last | undefined;
    // A mark that is not closed is an ordinary character.
    if (close && last[close] > at) at = line.indexOf(close, at + 1);
    else if (character === ',' || character === ';') {
      parts.push(line.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, line.slice(start)];
}

const isBetween = (character: string | undefined) =>
  character !== undefined && (character === ',' || character === ';' || character.trim() === '');

/** Without separators and white space around it. */
function withoutEnds(line: string): string {
  let [start, end] = [0, line.length];
  while (start < end && isBetween(line[start])) start += 1;
  while (start < end && isBetween(line[end - 1])) end -= 1;
  return line.slice(start, end);
}

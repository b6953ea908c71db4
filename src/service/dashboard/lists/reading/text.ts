/** Reads a text as a table with separators, or as a plain list of addresses. */
// Papa Parse finds the separator, reads what RFC 4180 leaves open as spreadsheets do, and takes a tenth of a second for a million cells.
import Papa from 'papaparse';
import { hasAddress } from './address-in.ts';
import { Table } from './table.ts';

const SEPARATORS = [',', ';', '\t', '|'];
/** Excel names the separator in a line of its own. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;
/** A list has an address in most of its entries. A table has names and figures beside them. */
const SHARE_OF_LIST = 0.5;

/** @param separator is found if it is not given */
export function readTable(text: string, separator = ''): Table {
  const named = SEPARATOR_LINE.exec(text);
  const table = new Table();
  Papa.parse<string[]>(named ? text.slice(named[0].length) : text, {
    delimiter: named?.[1] ?? separator,
    delimitersToGuess: SEPARATORS,
    // The table leaves them out as well. Here they would disturb the guess.
    skipEmptyLines: 'greedy',
    step: ({ data }) => table.add(data),
  });
  return table;
}

/** Reads a text that may be either: a file with lines, or what somebody has pasted. */
export function readAnyText(text: string): Table {
  const list = readPlainList(text, false);
  if ((list.addresses[0] ?? 0) < list.rows.length * SHARE_OF_LIST) {
    const table = readTable(text);
    if (table.columns > 1) return table;
  }
  return readPlainList(text, true);
}

/**
 * An entry on each line, or several with commas, semicolons or spaces between them.
 *
 * @param splitsAll whether a line with one address is split as well. The rows of a table look like that, too
 */
function readPlainList(text: string, splitsAll: boolean): Table {
  const table = new Table();
  for (const line of text.split(/[\r\n]+/))
    for (const entry of entriesOf(line, splitsAll)) table.add([entry]);
  return table;
}

function entriesOf(line: string, splitsAll: boolean): string[] {
  const hasSeveral = line.indexOf('@') !== line.lastIndexOf('@');
  const parts = hasSeveral || splitsAll ? partsOf(line) : [];
  // A name with a comma belongs to the address in angle brackets behind it.
  if (!hasSeveral && !parts.some((part) => !part.includes('<') && hasAddress(part)))
    return [withoutEnds(line)];
  return parts.flatMap((part) => {
    const entry = part.trim();
    if (entry === '' || hasAddress(entry)) return [entry];
    const words = entry.split(/\s+/);
    // Only addresses are written with nothing but spaces between them.
    return words.every((word) => word.includes('@')) ? words : [entry];
  });
}

/** What may hold any of the separators: a name in quotes, and an address in angle brackets. */
const CLOSES: Readonly<Record<string, string>> = { '"': '"', '<': '>' };

/** Splits at commas and semicolons. A regular expression would take the stack, or the time, of long lines. */
function partsOf(line: string): string[] {
  const parts: string[] = [];
  const last = { '"': line.lastIndexOf('"'), '>': line.lastIndexOf('>') };
  let start = 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!;
    const close = CLOSES[character] as keyof typeof last | undefined;
    // A mark that is not closed is a character as others.
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

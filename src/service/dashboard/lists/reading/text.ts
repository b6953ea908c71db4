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
  const list = readPlainList(text);
  if ((list.addresses[0] ?? 0) >= list.rows.length * SHARE_OF_LIST) return list;
  const table = readTable(text);
  return table.columns > 1 ? table : list;
}

/** An entry on each line, or several with commas, semicolons or spaces between them. */
function readPlainList(text: string): Table {
  const table = new Table();
  for (const [line] of text.matchAll(/[^\r\n]+/g)) for (const entry of entriesOf(line)) table.add([entry]);
  return table;
}

/** A name may hold any of the separators, in quotes or before an address in angle brackets. */
const SPLIT_AT = /(?:"[^"]*"|<[^<>]*>|[^,;"<])+|["<]/g;

function entriesOf(line: string): string[] {
  // A line with one address, or with none, is one entry.
  if (line.indexOf('@') === line.lastIndexOf('@')) return [line.replace(/^[\s,;]+|[\s,;]+$/g, '')];
  const parts = line.match(SPLIT_AT) ?? [];
  return parts.flatMap((part) => {
    const entry = part.trim();
    if (entry === '' || hasAddress(entry)) return [entry];
    const words = entry.split(/\s+/);
    // Only addresses are written with nothing but spaces between them.
    return words.every((word) => word.includes('@')) ? words : [entry];
  });
}

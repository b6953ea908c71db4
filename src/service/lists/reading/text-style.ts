/** Finds out how a text was written, so that a download can be written the same way. */
import { BARE, type CsvStyle } from '../../files/csv-style.ts';

/** How many characters tell where a program puts quotes. */
const SAMPLE = 64 * 1024;

/** @param separator and `lineEnd` are those that the text was read with */
export function styleOf(text: string, separator: string, lineEnd: string): CsvStyle {
  const counts = {
    quotedNumbers: 0,
    quotedTexts: 0,
    bareNumbers: 0,
    bareTexts: 0,
    quotedEmpty: 0,
    bareEmpty: 0,
  };
  for (const { value, isQuoted } of cellsOf(text.slice(0, SAMPLE), separator)) {
    const kind = value.trim() === '' ? 'Empty' : BARE.test(value) ? 'Numbers' : 'Texts';
    counts[`${isQuoted ? 'quoted' : 'bare'}${kind}`] += 1;
  }
  const { quotedNumbers, quotedTexts, bareNumbers, bareTexts, quotedEmpty, bareEmpty } = counts;
  let quotes: CsvStyle['quotes'] = 'needed';
  if (bareTexts === 0 && quotedTexts > 0) {
    if (bareNumbers === 0) quotes = 'all';
    else if (quotedNumbers === 0) quotes = 'texts';
  }
  return { separator, lineEnd, quotes, quotesEmpty: quotedEmpty > bareEmpty };
}

type SeenCell = { readonly value: string; readonly isQuoted: boolean };

function* cellsOf(text: string, separator: string): Generator<SeenCell> {
  let cells = 0;
  for (let at = 0; at < text.length; ) {
    const isQuoted = text[at] === '"';
    const [start, close] = isQuoted ? [at + 1, closeOf(text, at + 1)] : [at, at];
    const end = endOf(text, isQuoted ? close + 1 : at, separator);
    // The sample may cut the last cell.
    if (end === text.length && text.length === SAMPLE) return;
    const value = isQuoted ? text.slice(start, close) : text.slice(start, end);
    const isLineEnd = text[end] !== separator;
    // An empty line has no cell.
    if (!(isLineEnd && cells === 0 && value === '' && !isQuoted)) yield { value, isQuoted };
    cells = isLineEnd ? 0 : cells + 1;
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
}

/** The place of the quotation mark that closes a cell. Two of them stand for one. */
function closeOf(text: string, start: number): number {
  for (let at = start; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    if (text[at + 1] !== '"') return at;
  }
}

function endOf(text: string, start: number, separator: string): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === separator || character === '\r' || character === '\n') return at;
  }
  return text.length;
}

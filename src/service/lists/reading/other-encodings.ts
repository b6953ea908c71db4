/** What a text would say in other encodings, so that its owner can correct a guess. */
import { isAscii } from 'node:buffer';
import iconv from 'iconv-lite';

/** A way to read a text, with some rows of it. */
export interface Encoding {
  /** The name that iconv-lite has for it. */
  readonly codec: string;
  /** Of the rows that tell encodings apart best, the cells with letters beyond ASCII. */
  readonly rows: readonly string[];
}

/** The encodings that programs have written lists in, the most frequent ones first. */
const CODECS = [
  ...['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255'],
  ...['windows-1256', 'windows-1257', 'windows-1258', 'windows-874'],
  ...['ISO-8859-2', 'ISO-8859-5', 'ISO-8859-15'],
  ...['macintosh', 'CP437', 'CP850', 'CP852', 'CP866', 'KOI8-R'],
  ...['Shift_JIS', 'EUC-JP', 'GB18030', 'Big5', 'EUC-KR'],
];

/** How much of the lines with other letters is looked through. */
const SAMPLE_BYTES = 1024 * 1024;
/** A longer line is cut. */
const LINE_BYTES = 2_000;
const MOST_ROWS = 3;
const LONGEST_ROW = 80;
/** What is left over where bytes are no letters of the encoding. */
const NO_TEXT = /[\u0080-\u009f\ufffd]/;

/**
 * @param lines those that are not UTF-8
 * @param codec the encoding that they are read in, which comes first
 * @returns those that read every sampled letter, each with another text. Empty if there is no choice
 */
export function encodingsOf(lines: Iterable<Buffer>, codec: string): readonly Encoding[] {
  const told = tellingLines(lines);
  if (told.length === 0) return [];
  const all = Buffer.concat(told.flatMap(({ line }) => [line, Buffer.from('\n')]));
  const shown = [...told].sort((one, other) => other.news - one.news).slice(0, MOST_ROWS);
  const texts = new Set<string>();
  const found: Encoding[] = [];
  for (const one of [codec, ...CODECS.filter((name) => name.toLowerCase() !== codec.toLowerCase())]) {
    const text = iconv.decode(all, one);
    if (texts.has(text) || (one !== codec && NO_TEXT.test(text))) continue;
    texts.add(text);
    found.push({ codec: one, rows: shown.map(({ line }) => lettersOf(iconv.decode(line, one))) });
  }
  return found.length > 1 ? found : [];
}

interface Telling {
  readonly line: Buffer;
  /** How many of its bytes no earlier line has. */
  readonly news: number;
}

/** The lines with letters that no earlier one has. Together, they have each letter of the sample. */
function tellingLines(lines: Iterable<Buffer>): Telling[] {
  const seen = new Set<number>();
  const told: Telling[] = [];
  let sampled = 0;
  for (const whole of lines) {
    if (isAscii(whole)) continue;
    const line = whole.subarray(0, LINE_BYTES);
    const before = seen.size;
    for (const byte of line) if (byte >= 0x80) seen.add(byte);
    if (seen.size > before) told.push({ line, news: seen.size - before });
    sampled += line.length;
    if (sampled > SAMPLE_BYTES) break;
  }
  return told;
}

/** Without addresses, which every encoding reads alike. */
function lettersOf(line: string): string {
  const cells = line
    .split(/[,;\t"\r\n]/)
    .map((cell) => cell.trim())
    .filter((cell) => /[^\0-\x7f]/.test(cell) && !cell.includes('@'));
  const text = cells.join(', ');
  return text.length > LONGEST_ROW
    ? `${text.slice(0, LONGEST_ROW - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
    : text;
}

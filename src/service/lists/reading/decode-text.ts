/** Finds the encoding of a text file, and decodes it. */
import { isAscii, isUtf8 } from 'node:buffer';
import { detect } from 'chardet';
// iconv-lite, and not TextDecoder: Node 20 decodes windows-1252 as ISO-8859-1, which loses € and ’.
import iconv from 'iconv-lite';
import { counted } from '../../core/format.ts';
import { latinOf, USUAL } from './latin.ts';
import { ListFault } from './list-fault.ts';
import { type Encoding, encodingsOf } from './other-encodings.ts';

export interface Decoded {
  readonly text: string;
  /** The common name of the encoding, as a phrase after "read as". */
  readonly encoding: string;
  /** The encoding in which all of the text can be written. */
  readonly codec: string;
  /** Whether the text begins with a byte order mark. */
  readonly hasMark: boolean;
  /** The encodings to choose from, the one that was used first. Empty if it is certain. */
  readonly encodings: readonly Encoding[];
}

/** Encodings without a byte order mark are detected from a sample. */
const SAMPLE_BYTES = 64 * 1024;
/** The sample includes this much before the first character beyond ASCII. */
const LEAD_BYTES = 1_000;
/** The detector's guesses for Latin text. It cannot tell them apart in a list of names. */
const LATIN = /^(ISO-8859-(1|2|9)|windows-125[0247])$/;

const BOMS = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'UTF-8' },
  { bytes: [0xff, 0xfe], encoding: 'UTF-16LE' },
  { bytes: [0xfe, 0xff], encoding: 'UTF-16BE' },
] as const;

/**
 * @param chosen the encoding in which the owner wants to read what is not in Unicode. @default a guess
 * @throws {ListFault} for bytes that are not text
 */
export function decode(bytes: Buffer, chosen?: string): Decoded {
  const bom = BOMS.find(({ bytes: mark }) => mark.every((byte, index) => bytes[index] === byte));
  const wide = bom?.encoding.startsWith('UTF-16') ? bom.encoding : findUtf16(bytes);
  const mixed = wide || isUtf8(bytes) ? undefined : decodeMixed(bytes, chosen);
  if (mixed) return mixed;
  const certain = wide ?? bom?.encoding ?? (isUtf8(bytes) ? 'UTF-8' : undefined);
  const encoding = certain ?? chosen ?? findOther(bytes);
  return {
    // A byte order mark is not part of the text.
    text: iconv.decode(bytes, encoding),
    ...{ encoding, codec: encoding, hasMark: bom !== undefined },
    encodings: certain ? [] : encodingsOf(linesOf(bytes), encoding),
  };
}

/**
 * Decodes UTF-8 in which some lines have another encoding. Such files come from putting two files together, or from one
 * damaged byte. Text in another encoding is hardly ever valid UTF-8, so most lines decide.
 */
function decodeMixed(bytes: Buffer, chosen: string | undefined): Decoded | undefined {
  const others: Buffer[] = [];
  let sampled = 0;
  let right = 0;
  let wrong = 0;
  for (const line of linesOf(bytes)) {
    if (isAscii(line)) continue;
    if (isUtf8(line)) {
      right += 1;
      continue;
    }
    wrong += 1;
    if (sampled >= SAMPLE_BYTES) continue;
    others.push(line);
    sampled += line.length;
  }
  if (right <= wrong) return undefined;
  const encoding = chosen ?? findOther(Buffer.concat(others));
  const parts: string[] = [];
  for (const line of linesOf(bytes))
    parts.push(isUtf8(line) ? line.toString() : iconv.decode(line, encoding));
  return {
    text: parts.join('').replace(/^\ufeff/, ''),
    codec: 'UTF-8',
    hasMark: bytes.subarray(0, BOMS[0].bytes.length).equals(Buffer.from(BOMS[0].bytes)),
    encoding: `UTF-8, except for ${counted(wrong, 'line')} in ${encoding}`,
    encodings: encodingsOf(others, encoding),
  };
}

/** Each line with its end. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Programs leave single bytes of 0 in a text, such as at its end. Other files are full of them. */
const FEW_ZEROS = 3;
const SHARE_OF_ZEROS = 0.01;

/** Every second byte of Western text in UTF-16 is 0. Other encodings of text have hardly any. */
function findUtf16(bytes: Buffer): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const [even, odd] = zeros as [number, number];
  if (even + odd === 0) return undefined;
  const many = sample.length * 0.15;
  if (odd > many && even < odd / 10) return 'UTF-16LE';
  if (even > many && odd < even / 10) return 'UTF-16BE';
  if (even + odd <= Math.max(FEW_ZEROS, sample.length * SHARE_OF_ZEROS)) return undefined;
  throw new ListFault(
    'Expected a CSV, TSV, TXT, XLSX or ODS file, got a file of another kind. Export the list as CSV, and upload that.',
  );
}

function findOther(bytes: Buffer): string {
  const firstBeyondAscii = bytes.findIndex((byte) => byte >= 0x80);
  const start = Math.max(0, firstBeyondAscii - LEAD_BYTES);
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  const found = detect(sample) ?? USUAL;
  if (LATIN.test(found)) return latinOf(sample);
  return found === 'UTF-8' || !iconv.encodingExists(found) ? USUAL : found;
}

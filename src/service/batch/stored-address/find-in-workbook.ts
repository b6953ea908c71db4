/** Finds an address in the kept workbooks of an account: in any sheet, comment, link, table or formula. */

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { nextTurn } from '../../../shared/steps.ts';
import { asciiInJson } from '../../database/ascii.ts';
import type { Db } from '../../database/schema.ts';
import { decodeXml, NotXmlError, tagsOf, valuesOf } from '../../files/xml-tags.ts';
import { type KeptWorkbook, keptWorkbooks } from '../../lists/list-store.ts';
import { FileGoneError, openKeptFile } from '../../lists/workbook/kept-file.ts';
import type { Matcher } from './match-address.ts';

/** The workbooks whose file has the address, in whatever sheet. */
export async function findInWorkbooks(db: Db, accountId: string, matcher: Matcher): Promise<KeptWorkbook[]> {
  const found: KeptWorkbook[] = [];
  for (const workbook of await keptWorkbooks(db, accountId))
    if (await hasAddress(db, workbook, matcher)) found.push(workbook);
  return found;
}

/** Other parts are pictures and settings of printers. */
const SEARCHED = /\.(xml|rels|vml|svg)$/i;

async function hasAddress(db: Db, { list_id, bytes }: KeptWorkbook, matcher: Matcher): Promise<boolean> {
  try {
    const file = await openKeptFile(db, list_id, bytes);
    try {
      for (const entry of file.entries) {
        if (!SEARCHED.test(entry.fileName)) continue;
        for await (const text of textsOf(await file.open(entry))) if (isIn(text, matcher)) return true;
      }
      return false;
    } finally {
      file.close();
    }
  } catch (error) {
    // Its list was started or discarded meanwhile, or an address was erased.
    if (error instanceof FileGoneError) return false;
    // What cannot be read might have the address.
    if (error instanceof NotXmlError) return true;
    throw error;
  }
}

/** Most texts are not the address, and the matcher takes ten times as long. */
function isIn(written: string, { ascii, isIn }: Matcher): boolean {
  const text = decodeXml(written).replace(ESCAPED, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const own = asciiInJson(text);
  return ascii.some((one) => own.includes(one)) && isIn(text);
}

/** A character that XML cannot have, or need not (ECMA-376, part 1, section 22.9.2.19). */
const ESCAPED = /_x([\da-f]{4})_/gi;

/** How many characters are read in one turn of the event loop. */
const STEP = 256 * 1024;
/** A tag or a text with more is not of a workbook. */
const LONGEST = 4 * 1024 * 1024;

/** The parts of a text with several fonts are one text. What is in them is about the look. */
const OF_TEXTS = new Set(['r', 't']);
const LOOK = 'rPr';

/** The texts of an XML part, and the values of its attributes, as they are written. */
async function* textsOf(part: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let text = '';
  let isLook = false;
  const read = function* (xml: string): Generator<string> {
    let from = 0;
    for (const tag of tagsOf(xml)) {
      if (!isLook) text += xml.slice(from, tag.from);
      from = tag.to;
      yield* valuesOf(tag);
      if (tag.name === LOOK) isLook = tag.kind === 'open';
      else if (!isLook && !OF_TEXTS.has(tag.name)) {
        if (text !== '') yield text;
        text = '';
      }
    }
    text += xml.slice(from);
  };
  for await (const chunk of part) {
    rest += decoder.write(chunk as Buffer);
    if (rest.length < STEP) continue;
    const end = rest.lastIndexOf('<');
    if (rest.length > LONGEST || text.length > LONGEST) throw new NotXmlError('Expected a shorter text.');
    if (end <= 0) continue;
    const whole = rest.slice(0, end);
    rest = rest.slice(end);
    await nextTurn();
    yield* read(whole);
  }
  yield* read(rest + decoder.end());
  if (text !== '') yield text;
}

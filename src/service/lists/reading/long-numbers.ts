/**
 * Numbers of a sheet with more digits than a computer calculates with, such as numbers of cards and orders. Programs
 * write them, and a library that reads them as numbers changes their last digits. So they are made texts.
 */

/** A number has up to 15 digits that can be relied on (IEEE 754, double precision). */
const SAFE_DIGITS = 15;

const [VALUE, CELL, TYPE, ZERO, NINE, LESS] = [
  ...[Buffer.from('<v>'), Buffer.from('<c '), Buffer.from(' t="')],
  ...[0x30, 0x39, 0x3c],
] as const;
const NUMBER_TYPE = Buffer.from(' t="n"');
const TEXT_TYPE = Buffer.from(' t="str"');

/** @param sheet the XML of a sheet (ECMA-376, part 1, section 18.3.1.4) */
export function keepLongNumbers(sheet: Buffer): Buffer {
  const parts: Buffer[] = [];
  let done = 0;
  for (let at = sheet.indexOf(VALUE); at >= 0; at = sheet.indexOf(VALUE, at + VALUE.length)) {
    let end = at + VALUE.length;
    while (sheet[end]! >= ZERO && sheet[end]! <= NINE) end += 1;
    if (end - at - VALUE.length <= SAFE_DIGITS || sheet[end] !== LESS) continue;
    const cell = sheet.lastIndexOf(CELL, at);
    const close = sheet.indexOf('>', cell);
    if (cell < done || close > at) continue;
    const tag = sheet.subarray(cell, close);
    const type = tag.indexOf(TYPE);
    if (type >= 0 && !tag.subarray(type).subarray(0, NUMBER_TYPE.length).equals(NUMBER_TYPE)) continue;
    const [before, after] = type < 0 ? [close, close] : [cell + type, cell + type + NUMBER_TYPE.length];
    parts.push(sheet.subarray(done, before), TEXT_TYPE);
    done = after;
  }
  return parts.length === 0 ? sheet : Buffer.concat([...parts, sheet.subarray(done)]);
}

/** Adds columns to the rows of a sheet while its XML passes by. All else stays as it is. */
import { attributeOf, type Edit, edited, escapeXml, tagsOf, withAttributes } from '../../files/xml-tags.ts';
import { columnLetters, columnNumber } from '../../lists/column-letters.ts';
import type { SheetShape } from '../../lists/workbook/sheet-shape.ts';
import type { Cells } from './export-rows.ts';
import { contentOf } from './write-workbook.ts';

/** Cells for a row of the sheet. */
export interface AddedCells {
  /** The number of the row, from 1. */
  readonly row: number;
  readonly cells: Cells;
}

/** The sheet has no such row, so cells would get into others. The name is for the log. */
class NoRowError extends Error {
  override readonly name = 'NoRowError';
}

/**
 * @param xml the sheet. It is UTF-8, and each byte is read as a character, because the tags are ASCII
 * @param added in the order of their rows, a few at a time
 */
export async function* extendSheet(
  xml: AsyncIterable<Buffer>,
  added: AsyncIterable<readonly AddedCells[]>,
  shape: SheetShape,
): AsyncGenerator<Buffer> {
  const extend = createExtender(shape);
  const queue = oneByOne(added);
  const [start, end] = [`<${shape.prefix}sheetData`, `</${shape.prefix}row>`];
  let { value: next } = await queue.next();
  let [text, row, isHead] = ['', 0, true];
  for await (const bytes of xml) {
    text += bytes.toString('latin1');
    let written = '';
    if (isHead) {
      const at = text.indexOf(start);
      if (at < 0) continue;
      written = changeHead(text.slice(0, at), shape);
      text = text.slice(at);
      isHead = false;
    }
    let done = 0;
    for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, done)) {
      const before = text.slice(done, at);
      const tags = [...before.matchAll(ROW)];
      for (const [, attributes = ''] of tags) row = Number(NUMBER.exec(attributes)?.[1] ?? row + 1);
      done = at + end.length;
      if (next && row > next.row) throw new NoRowError(`Expected row ${next.row} in the sheet, got none.`);
      if (next?.row === row) {
        written += extend(before, tags.at(-1)!, next) + end;
        ({ value: next } = await queue.next());
      } else written += text.slice(at - before.length, done);
    }
    text = text.slice(done);
    if (written !== '') yield Buffer.from(written, 'latin1');
  }
  if (next) throw new NoRowError(`Expected row ${next.row} in the sheet, got none.`);
  yield Buffer.from(text, 'latin1');
}

async function* oneByOne<Item>(steps: AsyncIterable<readonly Item[]>): AsyncGenerator<Item, undefined> {
  for await (const some of steps) yield* some;
  return undefined;
}

const ROW = /<(?:[\w.-]+:)?row(\s[^<>]*)?>/g;
const NUMBER = /\sr\s*=\s*["'](\d+)["']/;
/** Which columns a row uses, which spreadsheets need not know (ECMA-376, part 1, section 18.3.1.73). */
const SPANS = /\sspans\s*=\s*["'][^"']*["']/;
const EMPTY_CELL = /<(?:[\w.-]+:)?c\s[^<>]*\/>/g;
const PLACE = /\sr\s*=\s*["']([A-Z]+)\d/;
const STYLE = /\ss\s*=\s*["'](\d+)["']/;
const CELL = /<(?:[\w.-]+:)?c(\s[^<>]*)?>/g;

function createExtender({ prefix, free, hasEmptyBeyond }: SheetShape) {
  let isFirst = true;
  const isBeyond = (cell: string) => columnNumber(PLACE.exec(cell)?.[1] ?? 'A') >= free;
  /** @param before what stands before the end of the row, with its tag and perhaps other rows without cells */
  return (before: string, tag: RegExpExecArray, { row, cells }: AddedCells): string => {
    const start = tag.index + tag[0].length;
    const own = before.slice(start);
    const kept = hasEmptyBeyond ? own.replace(EMPTY_CELL, (cell) => (isBeyond(cell) ? '' : cell)) : own;
    // The titles of the result look like the last one of the list.
    const style = isFirst ? STYLE.exec([...kept.matchAll(CELL)].at(-1)?.[1] ?? '')?.[1] : undefined;
    isFirst = false;
    const written = cells.map((cell, index) =>
      cellOf(prefix, `${columnLetters(free + index)}${row}`, contentOf(cell), style),
    );
    return before.slice(0, tag.index) + tag[0].replace(SPANS, '') + kept + written.join('');
  };
}

function cellOf(
  prefix: string,
  place: string,
  content: ReturnType<typeof contentOf>,
  style: string | undefined,
): string {
  const tag = `${prefix}c r="${place}"${style === undefined ? '' : ` s="${style}"`}`;
  const value = (text: string | number) => `<${prefix}v>${text}</${prefix}v></${prefix}c>`;
  if (typeof content === 'number') return `<${tag}>${value(content)}`;
  if (typeof content === 'boolean') return `<${tag} t="b">${value(content ? 1 : 0)}`;
  if (content === null) return style === undefined ? '' : `<${tag}/>`;
  const text = Buffer.from(escapeXml(content.replace(ESCAPED, '_x005F_'))).toString('latin1');
  return `<${tag} t="inlineStr"><${prefix}is><${prefix}t xml:space="preserve">${text}</${prefix}t></${prefix}is></${prefix}c>`;
}

/** Spreadsheets read this as a character (section 22.9.2.19). */
const ESCAPED = /_(?=x[\da-f]{4}_)/gi;

/** What a sheet says of the columns after its own, such as that they are hidden, is not for those of the result. */
function changeHead(xml: string, { free }: SheetShape): string {
  const edits: Edit[] = [];
  let columns: { readonly from: number; kept: number; readonly first: number } | undefined;
  for (const tag of tagsOf(xml)) {
    const change = (by: string) => edits.push({ from: tag.from, to: tag.to, by });
    // The range of all cells, which is too small now. No program needs it.
    if (tag.name === 'dimension' && tag.kind === 'empty') change('');
    if (tag.name === 'cols' && tag.kind === 'open')
      columns = { from: tag.from, kept: 0, first: edits.length };
    if (tag.name === 'cols' && tag.kind === 'close' && columns?.kept === 0)
      // Without any column, there must be no columns.
      edits.splice(columns.first, edits.length, { from: columns.from, to: tag.to, by: '' });
    if (tag.name !== 'col' || tag.kind !== 'empty') continue;
    if (columns && Number(attributeOf(tag, 'min')) <= free) columns.kept += 1;
    if (Number(attributeOf(tag, 'min')) > free) change('');
    else if (Number(attributeOf(tag, 'max')) > free) change(withAttributes(tag, { max: String(free) }));
  }
  return edited(xml, edits);
}

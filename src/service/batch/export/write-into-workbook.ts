/**
 * Writes the rows of an export into the uploaded workbook: one sheet is replaced, and the parts of the others are copied.
 * What the replaced sheet had beside its rows, and what counts its cells, is adapted or left out.
 */
import { Readable } from 'node:stream';
import type { Entry } from 'yauzl';
import { ZipFile } from 'yazl';
import type { Db } from '../../database/schema.ts';
import { attributeOf, type Edit, edited, tagsOf, withAttributes } from '../../files/xml-tags.ts';
import { type KeptFile, openKeptFile } from '../../lists/workbook/kept-file.ts';
import type { Original } from '../../lists/workbook/original.ts';
import {
  CONTENT_TYPES,
  nameOfPart,
  relationsOf,
  relationsPartOf,
  withoutElements,
} from '../../lists/workbook/package-parts.ts';
import { referencesIn } from '../../lists/workbook/sheet-frame.ts';
import { placeTables, readTable, type Written } from '../../lists/workbook/sheet-tables.ts';
import type { Cells } from './export-rows.ts';
import { type SheetRows, writeSheet } from './sheet-rows.ts';

/** It is read a piece at a time, while it is sent. @param listId the list whose file is kept */
export async function* writeIntoWorkbook(
  db: Db,
  listId: string,
  steps: AsyncIterable<readonly Cells[]>,
  sheet: SheetRows,
): AsyncGenerator<Uint8Array> {
  const file = await openKeptFile(db, listId, sheet.original.bytes);
  const zip = new ZipFile();
  const archive = zip.outputStream as Readable;
  const open = new Set<Readable>();
  /** The library uses pipes, which pass on neither errors nor an early end. */
  const attach = (part: Readable): Readable => {
    open.add(part);
    part.once('error', (error) => archive.destroy(error));
    part.once('close', () => open.delete(part));
    return part;
  };
  zip.once('error', (error) => archive.destroy(error as Error));
  try {
    const changes = await changesOf(file, sheet.original);
    let written: Written = { titles: [], rows: 0 };
    const rows = writeSheet(steps, sheet, (all) => {
      written = all;
    });
    const bytes = attach(Readable.from(rows, { objectMode: false }));
    const own = file.find(sheet.original.part)!;
    // The tables of the sheet come after it, because they say how many rows it has.
    const entries = file.entries.filter((entry) => entry !== own && !entry.fileName.endsWith('/'));
    const [first, ...others] = entries.sort((one, other) => rankOf(one) - rankOf(other));
    const add = (entry: Entry) => {
      const name = nameOfPart(entry.fileName);
      if (changes.left.has(name)) return;
      const options = { mtime: entry.getLastModDate(), compress: entry.compressionMethod !== 0 };
      const text = changes.texts.get(name);
      if (text !== undefined) return zip.addBuffer(Buffer.from(text), entry.fileName, options);
      const table = changes.tables.indexOf(name);
      zip.addReadStreamLazy(entry.fileName, options, (done) => {
        const part =
          table >= 0
            ? Promise.resolve(Readable.from([Buffer.from(placeTables(changes.tableParts, written)[table]!)]))
            : file.open(entry);
        part.then(
          (opened) => done(null, attach(opened)),
          (error) => archive.destroy(error),
        );
      });
    };
    if (first) add(first);
    zip.addReadStream(bytes, own.fileName, { mtime: own.getLastModDate() });
    for (const entry of others) add(entry);
    zip.end();
    yield* archive;
  } finally {
    for (const part of open) part.destroy();
    file.close();
  }
}

/** Programs that look at the first bytes of a file expect the types there. */
const rankOf = ({ fileName }: Entry) => (fileName === CONTENT_TYPES ? 0 : 1);

/** What becomes of the parts, by their names. */
interface Changes {
  readonly left: ReadonlySet<string>;
  readonly texts: ReadonlyMap<string, string>;
  /** The tables of the sheet. */
  readonly tables: readonly string[];
  readonly tableParts: readonly ReturnType<typeof readTable>[];
}

async function changesOf(file: KeptFile, original: Original): Promise<Changes> {
  const { part, book } = original;
  const read = async (name: string) => {
    const entry = file.find(name);
    return entry && file.text(entry);
  };
  const left = new Set<string>();
  const texts = new Map<string, string>();

  const relationsPart = relationsPartOf(part);
  const relationsText = (await read(relationsPart)) ?? '';
  const relations = relationsOf(relationsText, part);
  const named = referencesIn(original);
  const unused = relations.filter(({ id }) => !named.has(id));
  for (const relation of unused) if (relation.part !== undefined) left.add(nameOfPart(relation.part));
  const unusedAt = new Set(unused.map(({ tag }) => tag.from));
  if (unused.length > 0)
    texts.set(
      nameOfPart(relationsPart),
      withoutElements(relationsText, ({ from }) => unusedAt.has(from)),
    );
  const tables = relations
    .filter(({ id, type }) => named.has(id) && type === 'table')
    .map((table) => nameOfPart(table.part!));
  const tableParts = [];
  for (const table of tables) tableParts.push(readTable((await read(table))!));

  const bookRelations = relationsPartOf(book);
  const bookRelationsText = (await read(bookRelations))!;
  // It lists the cells with formulas, and those of the sheet are values now. A spreadsheet makes it anew.
  const chain = relationsOf(bookRelationsText, book).find(({ type }) => type === 'calcChain');
  if (chain?.part !== undefined) {
    left.add(nameOfPart(chain.part));
    texts.set(
      nameOfPart(bookRelations),
      withoutElements(bookRelationsText, ({ from }) => from === chain.tag.from),
    );
  }
  for (const name of [...left]) left.add(nameOfPart(relationsPartOf(name)));
  texts.set(nameOfPart(book), changeBook((await read(book))!, original));
  const isLeft = (name: string | undefined) => name !== undefined && left.has(nameOfPart(name));
  texts.set(
    nameOfPart(CONTENT_TYPES),
    withoutElements((await read(CONTENT_TYPES))!, (tag) => isLeft(attributeOf(tag, 'PartName'))),
  );
  return { left, texts, tables, tableParts };
}

/** The name of a filter's range (ECMA-376, part 1, section 18.2.5). */
const FILTER = '_xlnm._FilterDatabase';

/** The sheet is shown, has no filter, and formulas that refer to it are calculated when the file is opened. */
function changeBook(xml: string, { index }: Original): string {
  const edits: Edit[] = [];
  let at = 0;
  let names = 0;
  for (const tag of tagsOf(xml)) {
    if (tag.kind === 'close') continue;
    const change = (changes: Readonly<Record<string, string | undefined>>) =>
      edits.push({ from: tag.from, to: tag.to, by: withAttributes(tag, changes) });
    if (tag.name === 'sheet') {
      if (at === index && attributeOf(tag, 'state') !== undefined) change({ state: undefined });
      at += 1;
    } else if (tag.name === 'calcPr') change({ fullCalcOnLoad: '1' });
    else if (tag.name === 'definedName' && !isFilter(tag, index)) names += 1;
  }
  const changed = edited(xml, edits);
  return withoutElements(changed, (tag) =>
    tag.name === 'definedNames' ? names === 0 : tag.name === 'definedName' && isFilter(tag, index),
  );
}

const isFilter = (tag: Parameters<typeof attributeOf>[0], index: number) =>
  attributeOf(tag, 'name') === FILTER && attributeOf(tag, 'localSheetId') === String(index);

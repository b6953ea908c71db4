/** Workbooks that were made to do harm. Each is read or gets a sentence, and the next list of the account is read. */
import { expect, it, onTestFinished } from 'vitest';
import { createReader } from '../../../../src/service/lists/reading/list-reader.ts';
import { workbook, zipOf } from '../../support/workbook.ts';

const MIB = 1024 * 1024;
const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

const cell = (text = 'ada@example.com', repeated = '') =>
  `<table:table-cell office:value-type="string"${repeated}><text:p>${text}</text:p></table:table-cell>`;
const row = (cells: string, repeated = '') => `<table:table-row${repeated}>${cells}</table:table-row>`;

/** An ODS file with one sheet. */
const ods = (rows: string, before = '') =>
  zipOf({
    'styles.xml': '<office:document-styles xmlns:office="o"/>',
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'META-INF/manifest.xml':
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
    'content.xml': `${before}<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="One">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
  });

/** A workbook with an address, and with another part. */
const workbookWith = (part: string, content: string) => workbook({ One: xml() }, { [part]: content });

const xml = (rows = '<row r="1"><c r="A1" t="inlineStr"><is><t>ada@example.com</t></is></c></row>') =>
  `<worksheet xmlns="${SHEETS}"><sheetData>${rows}</sheetData></worksheet>`;

const relations = (targets: readonly string[], more = '') =>
  `<Relationships xmlns="${PACKAGE}">${targets.map((target, index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/worksheet" Target="${target}"${more}/>`).join('')}</Relationships>`;

const columns = (count: string) => cell('ada@example.com', ` table:number-columns-repeated="${count}"`);
const nested = (name: string, inside: string) =>
  `<${name}>`.repeat(1_000_000) + inside + `</${name}>`.repeat(1_000_000);

const sheetsOf = (count: number, relation: (index: number) => number) =>
  `<workbook xmlns="${SHEETS}" xmlns:r="${RELATIONS}"><sheets>${Array.from({ length: count }, (_, index) => `<sheet name="S${index}" sheetId="${index + 1}" r:id="rId${relation(index)}"/>`).join('')}</sheets></workbook>`;

const entities = Array.from(
  { length: 12 },
  (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`,
).join('');

/** The directory of the ZIP file says another size of the part. */
async function sayingSize(bytes: Promise<Buffer>, name: string, size: number): Promise<Buffer> {
  const file = Buffer.from(await bytes);
  file.writeUInt32LE(size, file.lastIndexOf(name) - 46 + 24);
  return file;
}

const READ = 'reads it';
const DAMAGED = /The workbook is damaged and could not be read/;
/** How far a process gets within its limits depends on the machine. */
const TOO_MUCH = /needs more memory than one list may use|took too long to read/;

const HOSTILE: Readonly<Record<string, readonly [make: () => Promise<Buffer>, said: string | RegExp]>> = {
  'ODS: a part that would be 3 GiB': [
    () => sayingSize(ods(row(cell())), 'content.xml', 3 * 1024 * MIB),
    /at most 160 MiB when it is unpacked/,
  ],
  'ODS: a part that is larger than it says': [
    () => sayingSize(ods(row(cell()) + ' '.repeat(100 * MIB)), 'content.xml', 1024),
    /damaged or incomplete/,
  ],
  'ODS: a part that is smaller than it says': [
    () => sayingSize(ods(row(cell())), 'content.xml', 100 * MIB),
    /damaged or incomplete/,
  ],
  'ODS: a row that is repeated 2^31 times': [
    () => ods(row(cell(), ' table:number-rows-repeated="2147483648"')),
    DAMAGED,
  ],
  'ODS: a cell that is repeated in a million columns': [() => ods(row(columns('1000000'))), DAMAGED],
  'ODS: a cell that is repeated in 2^31 columns': [() => ods(row(columns('2147483648'))), DAMAGED],
  'ODS: an empty cell that is repeated in 2^53 columns': [
    () => ods(row(`<table:table-cell table:number-columns-repeated="9007199254740992"/>${cell()}`)),
    DAMAGED,
  ],
  'ODS: a whole sheet of one cell': [
    () => ods(row(columns('16384'), ' table:number-rows-repeated="1048576"')),
    TOO_MUCH,
  ],
  'ODS: sizes that are no numbers': [
    () => ods(row(columns('-5'), ' table:number-rows-repeated="NaN"')),
    READ,
  ],
  'ODS: a million groups of rows within each other': [
    () => ods(nested('table:table-row-group', row(cell()))),
    READ,
  ],
  'ODS: a million spans within each other': [
    () => ods(row(cell(nested('text:span', 'ada@example.com')))),
    READ,
  ],
  'ODS: entities within entities': [
    () => ods(row(cell('&e12;')) + row(cell()), `<!DOCTYPE x [<!ENTITY e0 "x">${entities}]>`),
    READ,
  ],
  'ODS: an entity that names a file': [
    () => ods(row(cell('&f;')) + row(cell()), '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'),
    READ,
  ],
  'XLSX: shared texts that count to 2^32': [
    () => {
      const texts = `<sst xmlns="${SHEETS}" count="4294967295" uniqueCount="4294967295"><si><t>x</t></si></sst>`;
      return workbookWith('xl/sharedStrings.xml', texts);
    },
    READ,
  ],
  'XLSX: a sheet that is the workbook itself': [
    () => workbookWith('xl/_rels/workbook.xml.rels', relations(['workbook.xml'])),
    /This workbook is empty/,
  ],
  'XLSX: a workbook that is its own relations': [
    () => workbookWith('_rels/.rels', relations(['_rels/.rels']).replace('/worksheet', '/officeDocument')),
    READ,
  ],
  'XLSX: a sheet with comments that are the sheet itself': [
    () => {
      const comments = relations(['sheet1.xml']).replace('/worksheet', '/comments');
      return workbookWith('xl/worksheets/_rels/sheet1.xml.rels', comments);
    },
    READ,
  ],
  'XLSX: more sheets than parts are read': [
    () => workbook(Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`S${index}`, xml('')]))),
    /at most 2,000 parts, such as sheets, got more/,
  ],
  'XLSX: 10,000 sheets in one part': [
    () =>
      workbookWith(
        'xl/workbook.xml',
        sheetsOf(10_000, () => 1),
      ),
    READ,
  ],
  'XLSX: 10,000 sheets without an address in one part': [
    () => workbook({ One: xml('') }, { 'xl/workbook.xml': sheetsOf(10_000, () => 1) }),
    /This workbook is empty/,
  ],
  'XLSX: a sheet outside the file': [
    () => workbookWith('xl/_rels/workbook.xml.rels', relations(['../../../../../../etc/passwd'])),
    /This workbook is empty/,
  ],
  'XLSX: a sheet on another server': [
    () => {
      const external = relations(['http://127.0.0.1:1/sheet.xml'], ' TargetMode="External"');
      return workbookWith('xl/_rels/workbook.xml.rels', external);
    },
    /This workbook is empty/,
  ],
  'XLSX: a part with a name that leads out of the file': [
    async () => {
      const file = (await workbookWith('xl/aaaaaaaaaaa.xml', '<x/>')).toString('latin1');
      return Buffer.from(file.replaceAll('xl/aaaaaaaaaaa.xml', '../../../../ab.xml'), 'latin1');
    },
    /damaged or incomplete/,
  ],
};

it.each(Object.entries(HOSTILE))('%s', async (_, [make, said]) => {
  const reader = createReader(said === TOO_MUCH ? {} : { longestMs: 120_000 });
  const bytes = await make();
  expect(bytes.length).toBeLessThan(2 * MIB);
  const reading = reader.open('acc_1')!;
  onTestFinished(() => reading.close());
  await reading.add(bytes);
  const answer = await reading.read('list.xlsx').then(
    ({ tables }) => (tables.every(({ rows }) => rows > 0) ? READ : 'reads nothing'),
    (error: Error) => `${error.name} ${error.message}`,
  );
  expect(answer).toMatch(said);
  await reading.close();
  const next = reader.open('acc_1')!;
  onTestFinished(() => next.close());
  await next.add(Buffer.from('bo@example.com'));
  expect(await next.read(undefined)).toMatchObject({ tables: [{ rows: 1 }] });
});

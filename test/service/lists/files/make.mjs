/**
 * Makes the files of this folder, as programs and people make them. Run `node test/service/lists/files/make.mjs` after a
 * change, and say in `expected.ts` what comes back.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { utils, write } from '@e965/xlsx';
import iconv from 'iconv-lite';
import { ZipFile } from 'yazl';

const save = (name, bytes) => writeFileSync(join(import.meta.dirname, name), bytes);
const lines = (end, ...all) => all.map((line) => line + end).join('');

// Texts.

save(
  'german-excel.csv',
  iconv.encode(
    lines(
      '\r\n',
      'Nr;Name;E-Mail;PLZ;Umsatz',
      '1;Müller, Jörg;joerg@example.com;01067;1.234,50 €',
      '2;"Weiß; Söhne";weiss@example.com;99084;-5,3',
      '3;Ohne Adresse;;10115;49,- €',
      '4;Groß;keine;04109;7',
      '5;Noch einmal;JOERG@example.com;01067;1',
    ),
    'windows-1252',
  ),
);
save(
  'google-sheets.csv',
  // Without an end of the last line.
  'Name,Email,Note\r\n"Lovelace, Ada",ada@example.com,"two\nlines"\r\nGrace,grace@example.com,"say ""hi"""\r\n李小龙,li@example.com,',
);
save(
  'mailchimp.csv',
  lines(
    '\n',
    '"Email Address","First Name","MEMBER_RATING","OPTIN_TIME"',
    '"ada@example.com","Ada",2,"2024-01-31 10:00:00"',
    '"zoe@example.com","Zoé",5,""',
  ),
);
save(
  'database.csv',
  lines('\n', '"id","email","zip"', '"1","ada@example.com","01067"', '"2","bob@example.com",""'),
);
save(
  'byte-order-mark.csv',
  lines('\r\n', '\ufeffName;E-Mail', 'Jörg;joerg@example.com', 'Zoë;zoe@example.com'),
);
save(
  'excel-unicode.txt',
  iconv.encode(
    lines('\r\n', 'Имя\tПочта\tГод', 'Яна\tyana@example.com\t1999', 'Ада\tada@example.com\t2001'),
    'UTF-16',
    {
      addBOM: true,
    },
  ),
);
save('separator-line.csv', lines('\r\n', 'sep=;', 'Name;Email', 'Ada;ada@example.com'));
save(
  'title-above.csv',
  lines(
    '\n',
    'Customers 2026;;',
    'made by Ada;;',
    ';;',
    'Name;Contact;Zip',
    'Ada;ada@example.com;01067',
    'Bob;;1',
  ),
);
save('zero-byte.csv', `${lines('\n', 'Email,Name', 'ada@example.com,Ada', 'bob@example.com,Bob')}\0`);
save(
  'dirty.csv',
  lines(
    '\n',
    'Email,Name',
    '\u200bada@example.com\u200b,invisible characters',
    'bob@example.com.,a dot at the end',
    '<mailto:cy@example.com>,a link',
    'dee@example.com;eve@example.com,two',
    'fay@example.com / gus@example.com,two',
    'hal..b@example.com,two dots',
    'ivy example.com,no at sign',
  ),
);
save(
  'formulas.csv',
  lines(
    '\n',
    'Email,Phone,Note',
    'ada@example.com,+49 (30) 123-4,=1+1',
    'bob@example.com,-5.3,@home',
    'cy@example.com,+1+cmd,a;=2',
    'dee@example.com,-,"\t=3"',
    'eve@example.com,"+1,5","x\n=4"',
  ),
);

const encoded = (name, codec, ...all) => save(name, iconv.encode(lines('\r\n', ...all), codec));
encoded(
  'polish-excel.csv',
  'windows-1250',
  'Imię;E-mail;Miasto',
  'Łukasz Żak;lukasz@example.com;Łódź',
  'Małgorzata;gosia@example.com;Kraków',
);
encoded(
  'russian-excel.csv',
  'windows-1251',
  'Имя;Почта;Город',
  'Анна Иванова;anna@example.com;Санкт-Петербург',
  'Пётр Сидоров;petr@example.com;Москва',
);
encoded(
  'japanese.csv',
  'Shift_JIS',
  '氏名,メール,住所',
  '山田太郎,taro@example.com,東京都千代田区',
  '鈴木花子,hanako@example.com,大阪府大阪市',
);
// Nothing but a few letters: the guess is wrong, and the owner chooses.
encoded('old-mac.csv', 'macintosh', 'Name,Email', 'Müller,mueller@example.com', 'Zoë,zoe@example.com');
encoded('old-greek.csv', 'windows-1253', 'Name;Email', 'Ωρα;ora@example.com', 'Ada;ada@example.com');
save(
  'utf-16-big-endian.csv',
  iconv.encode(lines('\r\n', 'Name;Email', 'Zoë;zoe@example.com'), 'UTF-16BE', { addBOM: true }),
);
save(
  'two-files-in-one.csv',
  Buffer.concat([
    Buffer.from(lines('\n', 'Name,Email', 'Jürgen,j@example.com', 'Zoë,z@example.com')),
    iconv.encode(lines('\n', 'José,jose@example.com'), 'windows-1252'),
  ]),
);
save('pipes.csv', lines('\n', 'name|email|note', 'Ada|ada@example.com|a, b; c', 'Bob|bob@example.com|'));
save('tabs.tsv', lines('\n', 'name\temail', 'Lovelace, Ada\tada@example.com', 'Bob\tbob@example.com'));
save('plain-list.txt', lines('\n', 'ada@example.com', '', 'bob@example.com', 'ADA@example.com'));
save('one-line.txt', 'ada@example.com, bob@example.com; cy@example.com');
save(
  'crm-export.csv',
  lines(
    '\r\n',
    '"Id","First Name","Email","Phone"',
    '"003A1","Ada","ada@example.com","+1 (555) 010-1"',
    '"003A2","O""Neil","oneil@example.com",""',
  ),
);
save('without-titles.csv', lines('\n', 'Ada;ada@example.com', 'Bob;bob@example.com'));
save('uneven-rows.csv', lines('\n', 'email,name,city', 'ada@example.com', 'bob@example.com,Bob', ',,', 'x'));
save(
  'contacts.csv',
  lines('\n', 'Contact,List', '"Ada Lovelace <ada@example.com>",a', '"""Bob"" <bob@example.com>",b'),
);
save(
  'three-columns.csv',
  lines(
    '\n',
    'Name,Work,Home,Boss',
    'Ada,ada@work.example,ada@home.example,boss@work.example',
    'Bob,bob@work.example,,boss@work.example',
  ),
);
save('without-address.csv', lines('\n', 'Name,City', 'Ada,London'));
save('open-quote.csv', lines('\n', 'Name,Email', '"Ada,ada@example.com', 'Bob,bob@example.com'));
save('empty.csv', '');

// Files of other kinds.

save('document.pdf', '%PDF-1.7\n');
save('picture.png', Buffer.from('89504e470d0a1a0a', 'hex'));
save('packed.csv.gz', Buffer.from('1f8b0800', 'hex'));
save('letter.rtf', '{\\rtf1 ada@example.com}');
save(
  'protected.xlsx',
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
);

// Workbooks, written by hand, because the writers of libraries know less than Excel.

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const FORMATS = ['General', '00000', 'dd.mm.yyyy', '0.0%', '\\+0', '#,##0.00\\ "€"', '0.00E+00'];
const STYLES = `<styleSheet ${MAIN}><numFmts>${FORMATS.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(code)}"/>`).join('')}</numFmts><fills><fill><patternFill patternType="none"/></fill></fills><cellXfs>${FORMATS.map((_, index) => `<xf numFmtId="${index === 0 ? 0 : 164 + index}" applyNumberFormat="1"/>`).join('')}<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`;

function escapeXml(text) {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
const text = (place, content) =>
  `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(content)}</t></is></c>`;
const number = (place, value, style = 0) => `<c r="${place}" s="${style}"><v>${value}</v></c>`;
const styled = (cell, style) => cell.replace('<c ', `<c s="${style}" `);
const row = (index, cells, attributes = '') => `<row r="${index}"${attributes}>${cells.join('')}</row>`;
const sheet = (rows, before = '', after = '') =>
  `<worksheet ${MAIN} xmlns:r="${RELATIONS}">${before}<sheetData>${rows.join('')}</sheetData>${after}</worksheet>`;
const list = (...addresses) =>
  sheet([
    row(1, [text('A1', 'Email')]),
    ...addresses.map((address, index) => row(index + 2, [text(`A${index + 2}`, address)])),
  ]);

async function workbook(name, sheets, view = '', styles = STYLES) {
  const kindOf = ({ isChart }) => (isChart ? 'chartsheet' : 'worksheet');
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>${sheets.map((each, index) => `<Override PartName="/xl/${kindOf(each)}s/sheet${index + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kindOf(each)}+xml"/>`).join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${RELATIONS}">${view}<sheets>${sheets.map(({ name, state }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${state ? ` state="${state}"` : ''} r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${sheets.map((each, index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${kindOf(each)}" Target="${kindOf(each)}s/sheet${index + 1}.xml"/>`).join('')}<Relationship Id="rIdS" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': styles,
  };
  for (const [index, each] of sheets.entries()) {
    parts[`xl/${kindOf(each)}s/sheet${index + 1}.xml`] = each.xml ?? `<chartsheet ${MAIN}/>`;
    if (each.link)
      parts[`xl/worksheets/_rels/sheet${index + 1}.xml.rels`] =
        `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/hyperlink" Target="${each.link}" TargetMode="External"/></Relationships>`;
  }
  save(name, await zip(parts));
}

async function zip(parts) {
  const file = new ZipFile();
  // The same time each time, so that a file changes only with its contents.
  for (const [name, content] of Object.entries(parts))
    file.addBuffer(Buffer.from(content), name, { mtime: new Date(2026, 0, 1) });
  file.end();
  return buffer(file.outputStream);
}

await workbook(
  'two-sheets.xlsx',
  [
    { name: 'Last year', xml: list('old@example.com') },
    { name: 'This year', xml: list('ada@example.com', 'bob@example.com') },
  ],
  '<bookViews><workbookView activeTab="1"/></bookViews>',
);
await workbook('hidden-sheets-first.xlsx', [
  { name: 'Trash', state: 'hidden', xml: list('t1@example.com', 't2@example.com') },
  { name: 'Secret', state: 'veryHidden', xml: list('s@example.com') },
  { name: 'List', xml: list('ada@example.com') },
]);
await workbook('chart-first.xlsx', [
  { name: 'Chart', isChart: true },
  { name: 'List', xml: list('ada@example.com') },
]);
await workbook('hidden-column-and-row.xlsx', [
  {
    name: 'List',
    xml: sheet(
      [
        row(1, [text('A1', 'Old mail'), text('B1', 'Contact')]),
        row(2, [text('A2', 'a@old.example'), text('B2', 'ada@example.com')], ' hidden="1"'),
        row(3, [text('A3', 'b@old.example'), text('B3', 'bob@example.com')]),
      ],
      '<cols><col min="1" max="1" width="9" hidden="1"/></cols>',
      '<autoFilter ref="A1:B3"/>',
    ),
  },
]);
await workbook('title-above.xlsx', [
  {
    name: 'List',
    xml: sheet(
      [
        row(1, [text('A1', 'Mailing list 2026')]),
        row(4, [text('B4', 'Contact'), text('C4', 'Name')]),
        row(5, [text('B5', 'ada@example.com'), text('C5', 'Ada')]),
      ],
      '',
      '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>',
    ),
  },
]);
await workbook('values.xlsx', [
  {
    name: 'Kunden',
    xml: sheet([
      row(
        1,
        ['Email', 'Zip', 'Since', 'Share', 'Phone', 'Paid', 'Plain', 'Day', 'Mixed', 'Long'].map(
          (title, index) => text(`${'ABCDEFGHIJ'[index]}1`, title),
        ),
      ),
      row(2, [
        ...[
          text('A2', 'ada@example.com'),
          number('B2', 1067, 1),
          number('C2', 45292, 2),
          number('D2', 0.125, 3),
        ],
        ...[
          number('E2', 4915112345678, 4),
          number('F2', 1234.5, 5),
          number('G2', 4915112345678),
          number('H2', 45293, 7),
        ],
        ...[number('I2', 0.5, 3), text('J2', '12345678901234567890')],
      ]),
      row(3, [
        ...[
          text('A3', 'bob@example.com'),
          number('B3', 99084, 1),
          number('C3', 45293.5, 2),
          number('D3', 1, 3),
        ],
        ...[
          text('E3', '+49 30 1234'),
          number('F3', -0.5, 5),
          number('G3', 0.30000000000000004),
          number('H3', 45294, 7),
        ],
        ...[number('I3', 7), '<c r="J3" t="b"><v>1</v></c>'],
      ]),
    ]),
  },
]);
// Columns of which each cell has a format of its own, as after a paste from other files.
await workbook(
  'several-formats.xlsx',
  [
    {
      name: 'Contacts',
      xml: sheet([
        row(
          1,
          ['Email', 'Zip', 'Amount', 'Since', 'Active'].map((title, index) =>
            text(`${'ABCDE'[index]}1`, title),
          ),
        ),
        row(2, [
          ...[text('A2', 'ada@example.com'), styled(text('B2', '01067'), 8), number('C2', 0.125, 3)],
          ...[number('D2', 45292, 2), '<c r="E2" t="b"><v>1</v></c>'],
        ]),
        row(3, [
          ...[text('A3', 'bob@example.com'), number('B3', 1067, 1), number('C3', 1234.5, 5)],
          ...[number('D3', 45293.5, 7), '<c r="E3" t="b"><v>0</v></c>'],
        ]),
        row(4, [
          ...[text('A4', 'cy@example.com'), styled(text('B4', '99084'), 8), number('C4', 7)],
          ...[text('D4', 'last year'), number('E4', 1)],
        ]),
        row(5, [
          ...[text('A5', 'dee@example.com'), text('B5', '10115'), number('C5', 0.30000000000000004)],
          ...[number('D5', 45294, 2), styled('<c r="E5" t="b"><v>1</v></c>', 8)],
        ]),
      ]),
    },
  ],
  '',
  STYLES.replace('</cellXfs>', '<xf numFmtId="49" applyNumberFormat="1"/></cellXfs>'),
);
await workbook('formulas-without-values.xlsx', [
  {
    name: 'List',
    xml: sheet([
      row(1, [text('A1', 'Email')]),
      row(2, ['<c r="A2"><f>CONCATENATE("ada","@example.com")</f></c>']),
    ]),
  },
]);
// As openpyxl writes it, with and without lxml. Excel writes an empty text as the value of the last one.
await workbook('formulas-of-openpyxl.xlsx', [
  {
    name: 'Sheet',
    xml: sheet([
      row(1, [text('A1', 'Email')]),
      row(2, ['<c r="A2"><f>CONCATENATE("ada","@example.com")</f><v></v></c>']),
      row(3, ['<c r="A3"><f>CONCATENATE("bob","@example.com")</f><v /></c>']),
      row(4, ['<c r="A4" t="str"><f>IF(A1="","a@example.com","")</f><v></v></c>']),
    ]),
  },
]);
await workbook('formulas-partly-without-values.xlsx', [
  {
    name: 'List',
    xml: sheet([
      row(1, [text('A1', 'Email'), text('B1', 'Greeting')]),
      row(2, [text('A2', 'ada@example.com'), '<c r="B2"><f>CONCATENATE("Dear ","Ada")</f></c>']),
      row(3, ['<c r="A3" t="str"><f>LOWER("BOB@EXAMPLE.COM")</f><v>bob@example.com</v></c>']),
    ]),
  },
]);
await workbook('link.xlsx', [
  {
    name: 'List',
    link: 'mailto:ada@example.com?subject=Hi',
    xml: sheet(
      [row(1, [text('A1', 'Name')]), row(2, [text('A2', 'Write to Ada')])],
      '',
      '<hyperlinks><hyperlink ref="A2" r:id="rId1"/></hyperlinks>',
    ),
  },
]);
await workbook('same-titles.xlsx', [
  {
    name: 'List',
    xml: sheet([
      row(1, [text('A1', 'Email'), text('B1', 'Email')]),
      row(2, [text('A2', 'ada@example.com'), text('B2', 'ada@work.example')]),
    ]),
  },
]);

const table = utils.book_new();
utils.book_append_sheet(
  table,
  utils.aoa_to_sheet([
    ['Email', 'Zip', 'Points'],
    ['ada@example.com', '01067', 12.5],
    ['bob@example.com', '99084', 3],
  ]),
  'Liste',
);
for (const [name, bookType] of [
  ['libreoffice.ods', 'ods'],
  ['excel-97.xls', 'xls'],
  ['web-page.xls', 'html'],
  ['excel-2003.xml', 'xlml'],
])
  save(name, write(table, { type: 'buffer', bookType }));
save('apple.numbers', await zip({ 'Index/Document.iwa': 'x', 'Metadata/Properties.plist': 'x' }));
save('letter.docx', await zip({ 'word/document.xml': '<w:document/>' }));
save('binary.xlsb', await zip({ 'xl/workbook.bin': 'x' }));
await workbook('without-address.xlsx', [
  { name: 'Plan', xml: list('Ada') },
  { name: 'Old', state: 'hidden', xml: list('Bob') },
]);
await workbook('long-numbers.xlsx', [
  {
    name: 'Orders',
    xml: sheet([
      row(1, [text('A1', 'Email'), text('B1', 'Card'), text('C1', 'Short')]),
      row(2, [
        text('A2', 'ada@example.com'),
        number('B2', '4111111111111111'),
        number('C2', '411111111111111'),
      ]),
      row(3, [text('A3', 'bob@example.com'), number('B3', '12345678901234567890'), number('C3', '7')]),
    ]),
  },
]);
await workbook('errors.xlsx', [
  {
    name: 'List',
    xml: sheet([
      row(1, [text('A1', 'Email'), text('B1', 'Plan'), text('C1', 'Active')]),
      row(2, [
        text('A2', 'ada@example.com'),
        '<c r="B2" t="e"><f>VLOOKUP(A2,X,1)</f><v>#N/A</v></c>',
        '<c r="C2" t="b"><v>0</v></c>',
      ]),
    ]),
  },
]);
save('two-sheets.ods', write(twoSheets(), { type: 'buffer', bookType: 'ods' }));
save('two-sheets.xls', write(twoSheets(), { type: 'buffer', bookType: 'xls' }));

function twoSheets() {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['Note'], ['no address']]), 'Notes');
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['Name', 'Email'],
      ['Jörg', 'joerg@example.com'],
    ]),
    'Kunden',
  );
  return book;
}

// A workbook as Excel writes it: its list is a table with a comment, and other sheets have formulas and a chart of it.

const TYPE = 'application/vnd.openxmlformats-officedocument';
const related = (type, target, id = `rId${type}`, more = '') =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"${more}/>`;
const relations = (...all) =>
  `<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
const shared = (place, index, style = 0) => `<c r="${place}" s="${style}" t="s"><v>${index}</v></c>`;
const TEXTS = [
  ...['Name', 'Email', 'Joined', 'Amount', 'Ada', 'ada@example.com', 'Bob', 'bob@example.com'],
  ...['Cy', 'no address', 'Sum', 'Rows', 'See the list', 'Old address', 'old@example.com'],
];

save(
  'three-sheets.xlsx',
  await zip({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="vml" ContentType="${TYPE}.vmlDrawing"/><Default Extension="xml" ContentType="application/xml"/>${[
      ['workbook', 'spreadsheetml.sheet.main'],
      ...[1, 2, 3].map((index) => [`worksheets/sheet${index}`, 'spreadsheetml.worksheet']),
      ['styles', 'spreadsheetml.styles'],
      ['sharedStrings', 'spreadsheetml.sharedStrings'],
      ['calcChain', 'spreadsheetml.calcChain'],
      ['tables/table1', 'spreadsheetml.table'],
      ['comments1', 'spreadsheetml.comments'],
      ['drawings/drawing1', 'drawing'],
      ['charts/chart1', 'drawingml.chart'],
    ]
      .map(([name, type]) => `<Override PartName="/xl/${name}.xml" ContentType="${TYPE}.${type}+xml"/>`)
      .join('')}</Types>`,
    '_rels/.rels': relations(related('officeDocument', '/xl/workbook.xml')),
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${RELATIONS}"><workbookPr date1904="1"/><bookViews><workbookView activeTab="1"/></bookViews><sheets><sheet name="Summary" sheetId="1" r:id="rId1"/><sheet name="List" sheetId="2" r:id="rId2"/><sheet name="Archive" sheetId="5" state="hidden" r:id="rId3"/></sheets><definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="1" hidden="1">List!$A$3:$D$6</definedName><definedName name="People">List!$A$4:$A$6</definedName></definedNames><calcPr calcId="191029"/></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...[1, 2, 3].map((index) => related('worksheet', `worksheets/sheet${index}.xml`, `rId${index}`)),
      related('styles', 'styles.xml'),
      related('sharedStrings', 'sharedStrings.xml'),
      related('calcChain', 'calcChain.xml'),
    ),
    'xl/styles.xml': `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/></numFmts><fonts><font><sz val="11"/></font><font><b/><sz val="11"/></font></fonts><fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="0" fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${MAIN}>${TEXTS.map((content) => `<si><t>${content}</t></si>`).join('')}<si><r><t>zoe@</t></r><r><rPr><b/><sz val="11"/></rPr><t>example.com</t></r></si></sst>`,
    'xl/calcChain.xml': `<calcChain ${MAIN}><c r="D6" i="2"/><c r="B1" i="1"/><c r="B2"/></calcChain>`,
    'xl/worksheets/sheet1.xml': sheet(
      [
        row(1, [shared('A1', 10), '<c r="B1"><f>SUM(Members[Amount])</f><v>33</v></c>']),
        row(2, [shared('A2', 11), '<c r="B2"><f>COUNTA(List!B:B)-1</f><v>3</v></c>']),
        row(3, [shared('A3', 12, 1)]),
      ],
      '<cols><col min="1" max="1" width="30" customWidth="1"/></cols>',
      '<mergeCells><mergeCell ref="A3:B3"/></mergeCells><drawing r:id="rId1"/>',
    ),
    'xl/worksheets/_rels/sheet1.xml.rels': relations(related('drawing', '../drawings/drawing1.xml', 'rId1')),
    'xl/drawings/drawing1.xml': `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>4</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>4</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>14</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Chart 1"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="${RELATIONS}" r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>`,
    'xl/drawings/_rels/drawing1.xml.rels': relations(related('chart', '../charts/chart1.xml', 'rId1')),
    'xl/charts/chart1.xml': `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:layout/><c:barChart><c:barDir val="col"/><c:ser><c:idx val="0"/><c:order val="0"/><c:cat><c:strRef><c:f>List!$A$4:$A$6</c:f></c:strRef></c:cat><c:val><c:numRef><c:f>List!$D$4:$D$6</c:f></c:numRef></c:val></c:ser><c:axId val="1"/><c:axId val="2"/></c:barChart><c:catAx><c:axId val="1"/><c:crossAx val="2"/></c:catAx><c:valAx><c:axId val="2"/><c:crossAx val="1"/></c:valAx></c:plotArea></c:chart></c:chartSpace>`,
    'xl/worksheets/sheet2.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet ${MAIN} xmlns:r="${RELATIONS}"><sheetPr filterMode="1"><tabColor rgb="FF00AA00"/></sheetPr><dimension ref="A1:D6"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="3" topLeftCell="A4" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15" zeroHeight="1"/><cols><col min="1" max="1" width="12" customWidth="1"/><col min="2" max="2" width="25" customWidth="1"/><col min="3" max="16384" width="11" hidden="1" customWidth="1"/></cols><sheetData>${[
      row(1, ['<c r="A1" t="inlineStr"><is><t>Members of the club</t></is></c>']),
      row(
        3,
        ['A', 'B', 'C', 'D'].map((column, index) => shared(`${column}3`, index, 1)),
      ),
      row(4, [
        ...[shared('A4', 4), shared('B4', 5, 3)],
        ...['<c r="C4" s="2"><v>43830</v></c>', '<c r="D4"><v>11</v></c>'],
      ]),
      row(
        5,
        [
          ...[shared('A5', 6), shared('B5', 7, 3)],
          ...['<c r="C5" s="2"><v>43831.5</v></c>', '<c r="D5"><v>7.5</v></c>'],
        ],
        ' hidden="1"',
      ),
      row(6, [...[shared('A6', 8), shared('B6', 9, 3)], '<c r="D6"><f>D4+3.5</f><v>14.5</v></c>']),
    ].join(
      '',
    )}</sheetData><autoFilter ref="A3:D6"/><mergeCells><mergeCell ref="A1:D1"/></mergeCells><conditionalFormatting sqref="D4:D6"><cfRule type="cellIs" priority="1" operator="greaterThan"><formula>5</formula></cfRule></conditionalFormatting><hyperlinks><hyperlink ref="B4" r:id="rId3"/></hyperlinks><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><legacyDrawing r:id="rId2"/><tableParts count="1"><tablePart r:id="rId1"/></tableParts></worksheet>`,
    'xl/worksheets/_rels/sheet2.xml.rels': relations(
      related('table', '../tables/table1.xml', 'rId1'),
      related('vmlDrawing', '../drawings/vmlDrawing1.vml', 'rId2'),
      related('hyperlink', 'mailto:ada@example.com', 'rId3', ' TargetMode="External"'),
      related('comments', '../comments1.xml', 'rId4'),
    ),
    'xl/tables/table1.xml': `<table ${MAIN} id="1" name="Members" displayName="Members" ref="A3:D6" totalsRowShown="0"><autoFilter ref="A3:D6"><filterColumn colId="0"><customFilters><customFilter operator="notEqual" val="Bob"/></customFilters></filterColumn></autoFilter><tableColumns count="4">${['Name', 'Email', 'Joined', 'Amount'].map((name, index) => `<tableColumn id="${index + 1}" name="${name}"/>`).join('')}</tableColumns><tableStyleInfo name="TableStyleMedium2" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/></table>`,
    'xl/comments1.xml': `<comments ${MAIN}><authors><author>Ada</author></authors><commentList><comment ref="A4" authorId="0"><text><t>Ask dee@example.com first</t></text></comment></commentList></comments>`,
    'xl/drawings/vmlDrawing1.vml':
      '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shape type="#_x0000_t202" style="visibility:hidden"><x:ClientData ObjectType="Note"><x:Row>3</x:Row><x:Column>0</x:Column></x:ClientData></v:shape></xml>',
    'xl/worksheets/sheet3.xml': sheet([
      row(1, [shared('A1', 13, 1)]),
      row(2, [shared('A2', 14)]),
      row(3, [shared('A3', 15)]),
    ]),
  }),
);

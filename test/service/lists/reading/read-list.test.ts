/** Files as people have them, and what the reader makes of them. */
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { readList } from '../../../../src/service/lists/reading/read-list.ts';
import { unpackAll } from '../../../../src/service/lists/reading/unpack-zip.ts';
import { stopIfEndless } from '../../../stop-if-endless.ts';
import { workbook, zipOf } from '../../support/workbook.ts';

// Each upload starts a thread, and the cores are shared.

/** The table that is probably meant. */
async function tableOf(content: string | Buffer, fileName?: string) {
  const { tables, chosen } = await readList(Buffer.from(content), { fileName });
  return tables[chosen]!;
}
const rowsOf = async (content: string | Buffer, fileName?: string) =>
  (await tableOf(content, fileName)).rows.map((row) => JSON.parse(row));
const factsOf = async (content: string | Buffer, fileName = 'list.csv') =>
  (await tableOf(content, fileName)).facts;
const refusalOf = (content: string | Buffer, fileName = 'list.csv') =>
  readList(Buffer.from(content), { fileName }).then(
    () => 'it was read',
    ({ message }: Error) => message,
  );

it.each([
  [',', 'Name,Email\r\nAda,ada@example.com\r\n'],
  [';', 'Name;Email\nAda;ada@example.com'],
  ['|', 'Name|Email\rAda|ada@example.com\r'],
  ['a tab', 'Name\tEmail\nAda\tada@example.com\n\n'],
  ['what Excel says', 'sep=#\r\nName#Email\r\nAda#ada@example.com'],
])('reads a table with %s', async (_separator, text) => {
  expect(await rowsOf(text, 'list.csv')).toEqual([
    ['Name', 'Email'],
    ['Ada', 'ada@example.com'],
  ]);
});

it('takes only tabs to separate the columns of a TSV file', async () => {
  const rows = await rowsOf('Lovelace, Ada\tada@example.com', 'list.TSV');
  expect(rows).toEqual([['Lovelace, Ada', 'ada@example.com']]);
});

it('reads quotes as RFC 4180 says, and what spreadsheets make of others', async () => {
  const text = '"Lovelace, Ada","say ""hi""\nthere",ada@example.com\nan "odd" one,x,bob@example.com\n';
  expect(await rowsOf(text, 'list.csv')).toEqual([
    ['Lovelace, Ada', 'say "hi"\nthere', 'ada@example.com'],
    ['an "odd" one', 'x', 'bob@example.com'],
  ]);
});

it.each([
  ['is not closed', 'Name,Email\nAda,ada@example.com\n"Bob,bob@example.com\nCy,cy@example.com\n', 3],
  ['is not closed in the last row', 'Name,Email\nAda,ada@example.com\n"Bob,bob@example.com', 3],
  ['ends within a cell', 'Name,Email\n"Ada" L.,ada@example.com\n"Bob",bob@example.com\nCy,cy@x.com', 2],
  ['encloses only a name', 'Email\nada@example.com\n"Bob" <bob@example.com>\n"Cy" <cy@example.com>\n', 3],
])('refuses a table instead of losing rows when a quotation mark %s', async (_how, text, row) => {
  const message = `A quotation mark in row ${row} does not close where its cell ends, so the list was not stored. Otherwise the rows after it would be lost. Correct the quotation marks of that row, or remove them, and try again.`;
  expect(await refusalOf(text)).toBe(message);
});

it('takes quotation marks within a cell when the cell ends in its row', async () => {
  expect(await rowsOf('Name,Email\n"He said "hi" to me",ada@example.com\n', 'list.csv')).toEqual([
    ['Name', 'Email'],
    ['He said "hi" to me', 'ada@example.com'],
  ]);
});

it('keeps rows of different lengths, and leaves out empty rows and cells at the end', async () => {
  const text = 'a@example.com,,\n,,\n\n,x,\n  ,\nb@example.com,1,2,3';
  expect(await rowsOf(text, 'list.csv')).toEqual([
    ['a@example.com'],
    ['', 'x'],
    ['b@example.com', '1', '2', '3'],
  ]);
});

it.each([
  ['each on a line', 'ada@example.com\nbob@example.com\n'],
  ['with commas', 'ada@example.com, bob@example.com,'],
  ['with semicolons', 'ada@example.com;bob@example.com'],
  ['with spaces', ' ada@example.com  bob@example.com '],
  ['with both', 'ada@example.com,\n bob@example.com;\n'],
])('reads pasted addresses %s', async (_how, text) => {
  expect(await rowsOf(text)).toEqual([['ada@example.com'], ['bob@example.com']]);
});

it.each([
  [
    'reads names beside pasted addresses, whatever is in them',
    'Ada Lovelace <ada@example.com>, "Byron, Lord" <byron@example.com>; <c@example.com>\nbad "one < d@e',
    [
      ...['Ada Lovelace <ada@example.com>', '"Byron, Lord" <byron@example.com>', '<c@example.com>'],
      'bad "one < d@e',
    ],
  ],
  [
    'keeps a line without an address as one entry',
    'ada@example.com\nno address, here\nbob@example.com\nx@example.com',
    ['ada@example.com', 'no address, here', 'bob@example.com', 'x@example.com'],
  ],
  [
    'splits a line with one address at its commas, but not in a name',
    'ada@example.com\nbo@free.test, x\nLovelace, Ada <ada@example.com>\n"a, b" <c@d.test>; "more',
    ['ada@example.com', 'bo@free.test', 'x', 'Lovelace, Ada <ada@example.com>', '"a, b" <c@d.test>; "more'],
  ],
])('%s', async (_, text, entries) => {
  expect(await rowsOf(text)).toEqual(entries.map((entry) => [entry]));
});

it('counts the address of a link that was copied', async () => {
  const text = 'mailto:cy@x.test\nMAILTO:d@x.test?subject=Hi\n<mailto:e@x.test>';
  expect((await factsOf(text, 'a.txt')).addresses).toEqual([3]);
});

it.each([
  ['spaces in an entry', `@${' '.repeat(300_000)}x`],
  ['separators around an entry', `${', '.repeat(150_000)}@${', '.repeat(150_000)}x`],
  ['a line with several addresses', `a@b.co c@d.co ${'x'.repeat(8 * 1024 * 1024)}`],
  ['quotation marks and brackets', `a@b.co c@d.co ${'"<'.repeat(2_000_001)}`],
])('reads each character once, without a deep stack, for %s', async (_what, text) => {
  // A text is read before the first pause.
  const refusal = stopIfEndless(() => refusalOf(text, 'list.txt'));
  expect(await refusal).toContain('Expected at most 32,767 characters in a cell');
});

it('reads what was copied from a spreadsheet as a table', async () => {
  const text = 'Ada\tLovelace\tada@example.com\nGrace\tHopper\tgrace@example.com';
  expect(await rowsOf(text)).toEqual([
    ['Ada', 'Lovelace', 'ada@example.com'],
    ['Grace', 'Hopper', 'grace@example.com'],
  ]);
});

it('keeps a text that is mostly no addresses, and has one column, as a list', async () => {
  expect(await rowsOf('one\ntwo\nada@example.com\nthree')).toHaveLength(4);
});

it.each([
  ['UTF-8', 'Žofie,Müller,z@example.com', 'UTF-8'],
  ['UTF-16LE', 'Žofie,Müller,z@example.com', 'UTF-16LE'],
  ['UTF-16BE', 'Žofie,Müller,z@example.com', 'UTF-16BE'],
  ['windows-1252', 'Zoé,Müller’s €,z@example.com', 'windows-1252'],
  ['windows-1251', 'Александр,Пушкин поэт и писатель,z@example.com', 'windows-1251'],
  ['Shift_JIS', '田中太郎さん,東京都千代田区にあります,z@example.com', 'Shift_JIS'],
])('tells %s without a byte order mark', async (encoding, line, said) => {
  const text = `${line}\n`.repeat(30);
  const list = await tableOf(iconv.encode(text, encoding), 'list.csv');
  expect(list.facts.encoding).toBe(said);
  expect(JSON.parse(list.rows[0]!)).toEqual(line.split(','));
});

it.each([
  ['windows-1252', 'ü ö ë'],
  ['windows-1252', 'Müller,Jörg,Weiß'],
  ['windows-1252', 'Zoë,Noël,Citroën'],
  ['windows-1252', 'José,Núñez,España'],
  ['windows-1252', 'João,Conceição,São Paulo'],
  ['windows-1252', 'François,Lefèvre,Hôtel'],
  ['windows-1252', 'Søren,Kierkegård,Århus'],
  ['windows-1252', 'Guðmundur,Þór,Reykjavík'],
  ['windows-1252', 'Simões,Joe,x'],
  ['windows-1252', 'Simões,João,Gonçalo'],
  ['windows-1252', 'Søren,Müller,Lefèvre,Núñez'],
  ['windows-1250', 'Łukasz,Święcki,Gdańsk'],
  ['windows-1250', 'Jiří,Dvořák,Plzeň'],
  ['windows-1250', 'Győző,Erdős,Hódmezővásárhely'],
  ['windows-1254', 'Ayşe,Yıldız,Beyoğlu'],
  ['windows-1254', 'İbrahim,Şahin,Muğla'],
  ['windows-1257', 'Jānis,Bērziņš,Rīga'],
])('reads names in %s: %s', async (encoding, line) => {
  for (const times of [1, 30]) {
    const text = `${line},z@example.com\n`.repeat(times);
    const { facts, rows } = await tableOf(iconv.encode(text, encoding), 'list.csv');
    expect(facts.encoding).toBe(encoding);
    expect(JSON.parse(rows[0]!)).toEqual([...line.split(','), 'z@example.com']);
  }
});

describe('a file of several encodings', () => {
  const utf8 = 'Žofie,Müller,z@example.com\n';
  const other = iconv.encode('Zoé’s,Noël,a@example.com\n', 'win1252');

  it.each([
    ['one damaged byte', [utf8.repeat(3), Buffer.from([0xfc]), ',x,a@example.com\n', utf8], 1, 'ü', 3],
    ['lines in windows-1252', [utf8.repeat(5), other, other], 2, 'Zoé’s', 5],
    ['a byte order mark', ['\ufeff', utf8.repeat(2), other.subarray(0, -1)], 1, 'Zoé’s', 2],
  ])('reads the lines of UTF-8 as such, beside %s', async (_, parts, count, name, row) => {
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const { facts, rows } = await tableOf(bytes, 'list.csv');
    expect(facts.encoding).toBe(`UTF-8, except for ${count} line${count === 1 ? '' : 's'} in windows-1252`);
    expect(JSON.parse(rows[0]!)).toEqual(['Žofie', 'Müller', 'z@example.com']);
    expect(JSON.parse(rows[row]!)[0]).toBe(name);
  });

  it('takes lines that only look like UTF-8 for the encoding of the others', async () => {
    // The bytes of “Ã¼” are those of “ü” in UTF-8.
    const bytes = iconv.encode('Zoé,Ã¼,a@example.com\nÃ¼,x,b@example.com\n', 'windows-1252');
    const { facts, rows } = await tableOf(bytes, 'list.csv');
    expect(facts.encoding).toBe('windows-1252');
    expect(JSON.parse(rows[1]!)[0]).toBe('Ã¼');
  });
});

it.each(['UTF-8', 'UTF-16LE', 'UTF-16BE'])('takes the mark of %s for no text', async (encoding) => {
  const bytes = iconv.encode('Имя;Почта\nЯ;ya@example.com', encoding, { addBOM: true });
  expect(await rowsOf(bytes, 'list.csv')).toEqual([
    ['Имя', 'Почта'],
    ['Я', 'ya@example.com'],
  ]);
});

it('guesses the column by what is in it', async () => {
  const text = 'Email,Contact\nask them,ada@x.example\nunknown,bob@x.example\nx@x.example,c@x.example';
  expect(await factsOf(text)).toMatchObject({ addressColumn: 1, titles: 0, addresses: [1, 3] });
});

it.each([
  ['Manager email,E-Mail,Notes', 1],
  ['Assistant,Correo electrónico,x', 1],
  ['Vorgesetzter,x,E-Mail-Adresse', 2],
  ['上司,メールアドレス,x', 1],
  ['Courriel,Autre mail,x', 0],
  ['One,Two,Three', 0],
])('decides between columns with addresses by the titles %s', async (titles, column) => {
  const text = `${titles}\n${'a@example.com,b@example.com,c@example.com\n'.repeat(3)}`;
  expect((await factsOf(text)).addressColumn).toBe(column);
});

it('takes a column with a few gaps for the right one by its title', async () => {
  const rows = Array.from({ length: 10 }, (_, row) => `boss@example.com,${row === 0 ? '' : 'a@example.com'}`);
  expect(await factsOf(['Boss,Email', ...rows].join('\n'))).toMatchObject({ addressColumn: 1 });
});

it.each([
  ['has titles', 'Email\nada@example.com', true],
  ['has an address', 'ada@example.com\nbob@example.com', false],
  ['has a mistyped address', 'ada@example,com\nbob@example.com', false],
  ['is the only one', 'ada@example.com', false],
  ['has an address without its at sign', 'ada.example.com,Ada\nbob@example.com,Bob', false],
  ['has an address at a mail domain without its at sign', 'ada.mail.com\nbob@example.com', false],
  ['has figures as the others', 'adaexample,12\nbob@example.com,7.5', false],
  ['repeats in the others', 'adaexample,yes\nbob@example.com,no\nc@example.com,yes', false],
  ['has years as titles', 'E.mail,2024\nbob@example.com,7', true],
  ['has titles beside figures', 'Contact,Amount,\nbob@example.com,7,', true],
])('says whether the first row %s', async (_what, text, hasHeader) => {
  expect((await factsOf(text)).titles).toBe(hasHeader ? 0 : null);
});

it.each([
  ['below a title', 'Customers 2026,,\nName,Contact,Zip\nAda,ada@example.com,1', 1],
  ['below a title that speaks of mail', 'Mailing list 2026,,\nName,Contact,Zip\nAda,ada@example.com,1', 1],
  ['below notes', 'Customers\nby Ada\nMail\nada@example.com\nbob@example.com', 2],
  ['above rows without an address', 'Name,Email\nNobody,\nNobody else,\nAda,ada@example.com', 0],
  ['above a mistyped address', 'Name,Contact\nAda,ada@@example.com\nBob,bob@example.com', 0],
  ['nowhere, above a mistyped address', 'Ada,ada@@example.com\nBob,bob@example.com', null],
])('finds titles %s', async (_where, text, titles) => {
  expect((await factsOf(text)).titles).toBe(titles);
});

it('counts how many cells have several addresses', async () => {
  expect(await factsOf('Email\na@x.example;b@x.example\nc@x.example')).toMatchObject({ joined: 1 });
});

it('reads a text with a few bytes of 0, and refuses a file that is full of them', async () => {
  expect(await rowsOf('Email\nada@example.com\n\0', 'list.csv')).toEqual([['Email'], ['ada@example.com']]);
  expect(await refusalOf(`a@example.com${'\0x\0\0'.repeat(100)}`)).toContain('got a file of another kind');
});

it.each([
  ['<!DOCTYPE html><table>', 'a web page (HTML)'],
  ['\ufeff\n<html xmlns:x="urn:schemas-microsoft-com:office:excel">', 'a web page (HTML)'],
  [
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">',
    'an XML spreadsheet of 2003',
  ],
])('names what calls itself XLS: %s', async (content, name) => {
  const refusal = await refusalOf(`${content}ada@example.com`, 'list.xls');
  expect(refusal).toContain(`got ${name}, whatever its name says`);
});

it('reads a workbook: texts, numbers, dates and times as they look', async () => {
  const file = await workbook({
    Empty: [],
    'Kunden & Co': [
      ['Email', 'Phone', 'Price', 'Since', 'At', 'VIP'],
      ['ada@example.com', 4915112345678, 0.30000000000000004, { serial: 45292 }, { serial: 0.75 }, true],
      [' bob@example.com ', -1.5, 1e21, { serial: 45292.5 }, null, false],
    ],
  });
  const { facts, rows } = await tableOf(file, 'list.csv');
  expect(facts).toMatchObject({ sheet: 'Kunden & Co', titles: 0, addressColumn: 0, columns: 6 });
  expect(facts.encoding).toBeUndefined();
  expect(rows.map((row) => JSON.parse(row)).slice(1)).toEqual([
    ['ada@example.com', '4915112345678', '0.3', '2024-01-01', '18:00:00', 'TRUE'],
    [' bob@example.com ', '-1.5', '1e+21', '2024-01-01 12:00', '', 'FALSE'],
  ]);
});

it.each([
  ['an empty file', '', 'This file is empty, so it was not stored. Choose another file.'],
  ['white space', ' \r\n\t\n', 'This file is empty, so it was not stored.'],
  ['a PDF', '%PDF-1.7', 'got a PDF. Export the list as CSV'],
  ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'got an image'],
  ['other bytes', Buffer.from([1, 0, 0, 7, 0, 3, 0, 0]), 'got a file of another kind'],
  [
    'a text without addresses',
    'Dear Ada,\nhow are you?',
    'We found no email address in this file, so it was not stored. We read 2 rows with 1 column, as UTF-8.',
  ],
  [
    'titles without a row',
    'Name;E-Mail\r\n',
    'It has only 1 row, as UTF-8: “Name, E-Mail”. If it should have more, export it again.',
  ],
])('refuses %s with what was expected', async (_what, content, message) => {
  expect(await refusalOf(content)).toContain(message);
});

const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);

it('refuses a damaged XLS file, and a workbook with a password, and says what to do', async () => {
  expect(await refusalOf(COMPOUND)).toContain('save it as XLSX or CSV');
  const encrypted = Buffer.concat([COMPOUND, Buffer.from('EncryptedPackage', 'utf16le')]);
  expect(await refusalOf(encrypted)).toContain('Remove the password');
});

it('refuses workbooks that are empty, damaged or something else', async () => {
  const file = await workbook({ One: [['ada@example.com']] });
  const empty = await workbook({ One: [], Two: [[null]] });
  expect(await refusalOf(empty)).toContain('This workbook is empty, so it was not stored.');
  expect(await refusalOf(file.subarray(0, file.length - 40))).toContain('damaged or incomplete');
  expect(await refusalOf(await zipOf({ 'word/document.xml': '<x/>' }))).toContain('got a Word document');
  expect(await refusalOf(await workbook({ One: '<worksheet><sheetData><row' }))).toMatch(/damaged|empty/);
  const start = file.indexOf('xl/worksheets/sheet1.xml');
  expect(await refusalOf(Buffer.from(file).fill(0xff, start + 24, start + 60))).toContain('damaged');
});

it('looks for addresses in all sheets, and says which they were', async () => {
  const cover = [['Customers of 2026'], ['Made by Ada']];
  const file = await workbook({ Cover: cover, Empty: [], List: [['Email'], ['ada@example.com']] });
  expect(await factsOf(file)).toMatchObject({ sheet: 'List', rows: 2 });
  expect(await refusalOf(await workbook({ Cover: cover, Empty: [], More: cover }))).toBe(
    'We found no email address in this file, so it was not stored. We looked through the sheets “Cover”, “More”.',
  );
  expect(await refusalOf(await workbook({ Cover: cover }))).toContain('through the sheet “Cover”.');
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`S${index}`, cover]));
  expect(await refusalOf(await workbook(many))).toContain('“S9” and 2 more.');
});

it('refuses a workbook of too many parts', async () => {
  const parts = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`xl/${index}.xml`, '']));
  const refusal = await refusalOf(await workbook({ One: [['ada@example.com']] }, parts));
  expect(refusal).toContain('at most 2,000 parts');
});

it('leaves out what no list needs, however large it is', async () => {
  const file = await workbook({ One: [['ada@example.com']] }, { 'xl/media/a.bmp': Buffer.alloc(1024) });
  expect(await factsOf(file)).toMatchObject({ rows: 1, sheet: 'One' });
});

it.each([
  ['200 columns, got 201 in row 2', `\n${'x,'.repeat(200)}x`],
  ['32,767 characters in a cell, got 40,000 in row 1. A quotation mark', `,"${'x\n'.repeat(20_000)}"`],
  ['131,072 characters in a row, got 150,000 in row 2.', `\n${`${'x'.repeat(30_000)},`.repeat(5)}`],
])('refuses more than a list may have: %s', async (message, more) => {
  expect(await refusalOf(`a@example.com${more}`)).toContain(`Expected at most ${message}`);
});

it('says how long the longest cell of each column is, so that long ones are read a few at a time', async () => {
  const text = `a@example.com,\nb@b.example,${'x'.repeat(20_000)}`;
  expect(await factsOf(text)).toMatchObject({ longest: [13, 20_000] });
});

it('keeps no long name of a sheet and no long format, which take no room in the file', async () => {
  const code = (text: string) => `<numFmt numFmtId="170" formatCode="${text}"/>`;
  const rows = ['a@example.com', 'b@example.com'].map((email, index) => [email, { serial: index + 5 }]);
  const styles = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="1">${code(`0;&quot;${'y'.repeat(1_000_000)}&quot;`)}</numFmts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="170" applyNumberFormat="1"/></cellXfs></styleSheet>`;
  const bytes = await workbook({ ['N'.repeat(1_000_000)]: rows }, { 'xl/styles.xml': styles });
  expect(bytes.length).toBeLessThan(10_000);
  const facts = await factsOf(bytes, 'list.xlsx');
  expect(facts).toMatchObject({ sheet: 'N'.repeat(200), formats: [null, null] });
  expect(await rowsOf(bytes, 'list.xlsx')).toEqual([
    ['a@example.com', '5'],
    ['b@example.com', '6'],
  ]);
});

it('reads the sheet that was in front wherever it is, and counts those that were not read', async () => {
  const sheets = Object.fromEntries(
    Array.from({ length: 22 }, (_, index) => [`Sheet ${index + 1}`, [[`a${index + 1}@example.com`]]]),
  );
  const original = await unpackAll(await workbook(sheets));
  const about = original.read('xl/workbook.xml')!.toString();
  const view = '<bookViews><workbookView activeTab="21"/></bookViews><sheets>';
  const bytes = await workbook(sheets, { 'xl/workbook.xml': about.replace('<sheets>', view) });
  const { tables, chosen } = await readList(bytes, {});
  expect([tables.length, tables[chosen]!.facts.sheet]).toEqual([21, 'Sheet 22']);
  expect(tables[chosen]!.facts).toMatchObject({ otherSheets: 21, unreadSheets: 1 });
});

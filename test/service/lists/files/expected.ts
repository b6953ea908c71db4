/** What the owner of each file gets back: the own cells of its rows, or why the file is refused. */

/** A cell of a workbook: its value, and its number format if it is a number or has another than the usual one. */
export type Value = string | boolean | readonly [value: string | number | boolean, format: string];

export interface Expected {
  /** The own columns of the download, the titles first. */
  readonly rows?: readonly (readonly string[])[];
  /** The same in the XLSX file. @default the texts of `rows` */
  readonly values?: readonly (readonly Value[])[];
  /** The addresses that are verified. */
  readonly addresses?: readonly string[];
  /** Texts that the review page has. */
  readonly review?: readonly string[];
  /** The encoding that the owner chooses. */
  readonly encoding?: string;
  /** Whether each line of the download begins with the line of the file, or with the entry of a plain list. */
  readonly isSame?: boolean;
  /** The reason beside each row that was not verified. */
  readonly reasons?: readonly string[];
  /** The sheets of the XLSX file. @default one */
  readonly sheets?: readonly string[];
  readonly refused?: string;
}

const LIST = [
  ['Email', 'Zip', 'Points'],
  ['ada@example.com', '01067', '12.5'],
  ['bob@example.com', '99084', '3'],
];

const LIST_VALUES: readonly (readonly Value[])[] = [
  ['Email', 'Zip', 'Points'],
  ['ada@example.com', '01067', [12.5, 'General']],
  ['bob@example.com', '99084', [3, 'General']],
];

export const EXPECTED: Readonly<Record<string, Expected>> = {
  'german-excel.csv': {
    isSame: true,
    review: ['5 rows, read as windows-1252', '“keine” has no @.'],
    rows: [
      ['Nr', 'Name', 'E-Mail', 'PLZ', 'Umsatz'],
      ['1', 'Müller, Jörg', 'joerg@example.com', '01067', '1.234,50 €'],
      ['2', 'Weiß; Söhne', 'weiss@example.com', '99084', '-5,3'],
      ['3', 'Ohne Adresse', '', '10115', '49,- €'],
      ['4', 'Groß', 'keine', '04109', '7'],
      ['5', 'Noch einmal', 'JOERG@example.com', '01067', '1'],
    ],
    addresses: ['joerg@example.com', 'weiss@example.com'],
    reasons: ['', 'has no @'],
  },
  'google-sheets.csv': {
    isSame: true,
    rows: [
      ['Name', 'Email', 'Note'],
      ['Lovelace, Ada', 'ada@example.com', 'two\nlines'],
      ['Grace', 'grace@example.com', 'say "hi"'],
      ['李小龙', 'li@example.com', ''],
    ],
  },
  'mailchimp.csv': {
    isSame: true,
    rows: [
      ['Email Address', 'First Name', 'MEMBER_RATING', 'OPTIN_TIME'],
      ['ada@example.com', 'Ada', '2', '2024-01-31 10:00:00'],
      ['zoe@example.com', 'Zoé', '5', ''],
    ],
  },
  'database.csv': {
    isSame: true,
    rows: [
      ['id', 'email', 'zip'],
      ['1', 'ada@example.com', '01067'],
      ['2', 'bob@example.com', ''],
    ],
  },
  'byte-order-mark.csv': {
    isSame: true,
    rows: [
      ['Name', 'E-Mail'],
      ['Jörg', 'joerg@example.com'],
      ['Zoë', 'zoe@example.com'],
    ],
  },
  'excel-unicode.txt': {
    isSame: true,
    rows: [
      ['Имя', 'Почта', 'Год'],
      ['Яна', 'yana@example.com', '1999'],
      ['Ада', 'ada@example.com', '2001'],
    ],
  },
  'separator-line.csv': {
    rows: [
      ['Name', 'Email'],
      ['Ada', 'ada@example.com'],
    ],
  },
  'title-above.csv': {
    review: ['Row 4: Name, Contact, Zip', '2 rows above the titles are left out'],
    rows: [
      ['Name', 'Contact', 'Zip'],
      ['Ada', 'ada@example.com', '01067'],
      ['Bob', '', '1'],
    ],
    addresses: ['ada@example.com'],
  },
  'zero-byte.csv': {
    rows: [
      ['Email', 'Name'],
      ['ada@example.com', 'Ada'],
      ['bob@example.com', 'Bob'],
    ],
    addresses: ['ada@example.com', 'bob@example.com'],
  },
  'dirty.csv': {
    isSame: true,
    review: ['has several addresses, and 1 more.', '“hal..b@example.com” has two dots in a row'],
    rows: [
      ['Email', 'Name'],
      ['\u200bada@example.com\u200b', 'invisible characters'],
      ['bob@example.com.', 'a dot at the end'],
      ['<mailto:cy@example.com>', 'a link'],
      ['dee@example.com;eve@example.com', 'two'],
      ['fay@example.com / gus@example.com', 'two'],
      ['hal..b@example.com', 'two dots'],
      ['ivy example.com', 'no at sign'],
    ],
    addresses: ['ada@example.com', 'bob@example.com', 'cy@example.com'],
    reasons: [
      'has several addresses',
      'has several addresses',
      'has two dots in a row, or a dot at the wrong place',
      'has no @',
    ],
  },
  'formulas.csv': {
    rows: [
      ['Email', 'Phone', 'Note'],
      ['ada@example.com', '+49 (30) 123-4', "'=1+1"],
      ['bob@example.com', '-5.3', "'@home"],
      ['cy@example.com', "'+1+cmd", "a;'=2"],
      ['dee@example.com', '-', "'\t'=3"],
      ['eve@example.com', '+1,5', "x\n'=4"],
    ],
    values: [
      ['Email', 'Phone', 'Note'],
      ['ada@example.com', '+49 (30) 123-4', '=1+1'],
      ['bob@example.com', '-5.3', '@home'],
      ['cy@example.com', '+1+cmd', 'a;=2'],
      ['dee@example.com', '-', '\t=3'],
      ['eve@example.com', '+1,5', 'x\n=4'],
    ],
  },
  'two-sheets.xlsx': {
    review: ['The workbook has 2 sheets with addresses.', '2 rows of the sheet This year'],
    sheets: ['Last year', 'This year'],
    rows: [['Email'], ['ada@example.com'], ['bob@example.com']],
  },
  'hidden-sheets-first.xlsx': {
    review: [
      'Trash hidden, 2 addresses of 2 rows',
      'Secret hidden, 1 address of 1 row',
      '1 row of the sheet List',
    ],
    sheets: ['Trash', 'Secret', 'List'],
    rows: [['Email'], ['ada@example.com']],
  },
  'chart-first.xlsx': { rows: [['Email'], ['ada@example.com']], sheets: ['Chart', 'List'] },
  'three-sheets.xlsx': {
    review: [
      '3 rows of the sheet List',
      'Archive hidden, 2 addresses of 2 rows',
      'The workbook has 2 other sheets.',
    ],
    rows: [
      ['Name', 'Email', 'Joined', 'Amount'],
      ['Ada', 'ada@example.com', '01.01.2024', '11'],
      ['Bob', 'bob@example.com', '02.01.2024', '7.5'],
      ['Cy', 'no address', '', '14.5'],
    ],
    // Days count from 1904.
    values: [
      ['Members of the club', '', '', ''],
      ['Name', 'Email', 'Joined', 'Amount'],
      ['Ada', ['ada@example.com', '@'], [43830, 'dd.mm.yyyy'], [11, 'General']],
      ['Bob', ['bob@example.com', '@'], [43831.5, 'dd.mm.yyyy'], [7.5, 'General']],
      ['Cy', ['no address', '@'], '', [14.5, 'General']],
    ],
    sheets: ['Summary', 'List', 'Archive'],
  },
  'hidden-column-and-row.xlsx': {
    review: ['Old mail 2 addresses of 2 rows, hidden in the sheet', 'Hidden rows1 The sheet hides them'],
    rows: [
      ['Old mail', 'Contact'],
      ['a@old.example', 'ada@example.com'],
      ['b@old.example', 'bob@example.com'],
    ],
    addresses: ['ada@example.com', 'bob@example.com'],
  },
  'title-above.xlsx': {
    review: ['Row 4: Contact, Name'],
    rows: [
      ['', 'Contact', 'Name'],
      ['', 'ada@example.com', 'Ada'],
    ],
  },
  'values.xlsx': {
    rows: [
      ['Email', 'Zip', 'Since', 'Share', 'Phone', 'Paid', 'Plain', 'Day', 'Mixed', 'Long'],
      [
        ...[
          'ada@example.com',
          '01067',
          '01.01.2024',
          '12.5%',
          '+4915112345678',
          '1,234.50 €',
          '4915112345678',
        ],
        ...['2024-01-02', '50.0%', '12345678901234567890'],
      ],
      [
        ...[
          'bob@example.com',
          '99084',
          '02.01.2024',
          '100.0%',
          '+49 30 1234',
          "'-0.50 €",
          '0.3',
          '2024-01-03',
        ],
        ...['7', 'TRUE'],
      ],
    ],
    values: [
      ['Email', 'Zip', 'Since', 'Share', 'Phone', 'Paid', 'Plain', 'Day', 'Mixed', 'Long'],
      [
        ...[
          'ada@example.com',
          [1067, '00000'],
          [45292, 'dd.mm.yyyy'],
          [0.125, '0.0%'],
          [4915112345678, '\\+0'],
        ],
        ...[
          [1234.5, '#,##0.00\\ "€"'],
          [4915112345678, 'General'],
          [45293, 'm/d/yy'],
          [0.5, '0.0%'],
        ],
        '12345678901234567890',
      ] as Value[],
      [
        ...['bob@example.com', [99084, '00000'], [45293.5, 'dd.mm.yyyy'], [1, '0.0%'], '+49 30 1234'],
        ...[
          [-0.5, '#,##0.00\\ "€"'],
          [0.30000000000000004, 'General'],
          [45294, 'm/d/yy'],
          [7, 'General'],
          true,
        ],
      ] as Value[],
    ],
  },
  'several-formats.xlsx': {
    rows: [
      ['Email', 'Zip', 'Amount', 'Since', 'Active'],
      ['ada@example.com', '01067', '12.5%', '01.01.2024', 'TRUE'],
      ['bob@example.com', '01067', '1,234.50 €', '2024-01-02 12:00', 'FALSE'],
      ['cy@example.com', '99084', '7', 'last year', '1'],
      ['dee@example.com', '10115', '0.3', '03.01.2024', 'TRUE'],
    ],
    values: [
      ['Email', 'Zip', 'Amount', 'Since', 'Active'],
      ['ada@example.com', ['01067', '@'], [0.125, '0.0%'], [45292, 'dd.mm.yyyy'], true],
      ['bob@example.com', [1067, '00000'], [1234.5, '#,##0.00\\ "€"'], [45293.5, 'm/d/yy'], false],
      ['cy@example.com', ['99084', '@'], [7, 'General'], 'last year', [1, 'General']],
      [
        ...['dee@example.com', '10115', [0.30000000000000004, 'General'], [45294, 'dd.mm.yyyy']],
        [true, '@'],
      ] as Value[],
    ],
  },
  'formulas-without-values.xlsx': {
    refused:
      'We found no email address in this file, so it was not stored. 1 cell has a formula without a value: a program has written the file, and no spreadsheet has calculated it. Open it in a spreadsheet, save it, and upload it again.',
  },
  'formulas-of-openpyxl.xlsx': {
    refused:
      'We found no email address in this file, so it was not stored. 2 cells have formulas without a value: a program',
  },
  'formulas-partly-without-values.xlsx': {
    review: ['1 cell of the workbook has a formula without a value'],
    rows: [
      ['Email', 'Greeting'],
      ['ada@example.com', ''],
      ['bob@example.com', ''],
    ],
  },
  'link.xlsx': { rows: [['Name'], ['Write to Ada <ada@example.com>']], addresses: ['ada@example.com'] },
  'same-titles.xlsx': {
    review: ['Email (column A) 1 address of 1 row', 'Email (column B) 1 address of 1 row'],
    rows: [
      ['Email', 'Email'],
      ['ada@example.com', 'ada@work.example'],
    ],
  },
  'libreoffice.ods': { rows: LIST, values: LIST_VALUES },
  'excel-97.xls': { rows: LIST, values: LIST_VALUES },
  'web-page.xls': { refused: 'got a web page (HTML), whatever its name says.' },
  'excel-2003.xml': { refused: 'got an XML spreadsheet of 2003, whatever its name says.' },
  'apple.numbers': { refused: 'Expected an XLSX or ODS file, got a Numbers document.' },
  'polish-excel.csv': {
    isSame: true,
    review: ['2 rows, read as windows-1250'],
    rows: [
      ['Imię', 'E-mail', 'Miasto'],
      ['Łukasz Żak', 'lukasz@example.com', 'Łódź'],
      ['Małgorzata', 'gosia@example.com', 'Kraków'],
    ],
  },
  'russian-excel.csv': {
    encoding: 'windows-1251',
    isSame: true,
    review: ['2 rows, read as windows-1251'],
    rows: [
      ['Имя', 'Почта', 'Город'],
      ['Анна Иванова', 'anna@example.com', 'Санкт-Петербург'],
      ['Пётр Сидоров', 'petr@example.com', 'Москва'],
    ],
  },
  'japanese.csv': {
    isSame: true,
    review: ['2 rows, read as Shift_JIS'],
    rows: [
      ['氏名', 'メール', '住所'],
      ['山田太郎', 'taro@example.com', '東京都千代田区'],
      ['鈴木花子', 'hanako@example.com', '大阪府大阪市'],
    ],
  },
  'old-mac.csv': {
    encoding: 'macintosh',
    isSame: true,
    rows: [
      ['Name', 'Email'],
      ['Müller', 'mueller@example.com'],
      ['Zoë', 'zoe@example.com'],
    ],
  },
  'old-greek.csv': {
    encoding: 'windows-1253',
    isSame: true,
    rows: [
      ['Name', 'Email'],
      ['Ωρα', 'ora@example.com'],
      ['Ada', 'ada@example.com'],
    ],
  },
  'utf-16-big-endian.csv': {
    isSame: true,
    rows: [
      ['Name', 'Email'],
      ['Zoë', 'zoe@example.com'],
    ],
  },
  'two-files-in-one.csv': {
    review: ['3 rows, read as UTF-8, except for 1 line in windows-1252'],
    rows: [
      ['Name', 'Email'],
      ['Jürgen', 'j@example.com'],
      ['Zoë', 'z@example.com'],
      ['José', 'jose@example.com'],
    ],
  },
  'pipes.csv': {
    isSame: true,
    rows: [
      ['name', 'email', 'note'],
      ['Ada', 'ada@example.com', 'a, b; c'],
      ['Bob', 'bob@example.com', ''],
    ],
  },
  'tabs.tsv': {
    isSame: true,
    rows: [
      ['name', 'email'],
      ['Lovelace, Ada', 'ada@example.com'],
      ['Bob', 'bob@example.com'],
    ],
  },
  'plain-list.txt': {
    isSame: true,
    rows: [['Column 1'], ['ada@example.com'], ['bob@example.com'], ['ADA@example.com']],
    addresses: ['ada@example.com', 'bob@example.com'],
  },
  'one-line.txt': {
    isSame: true,
    rows: [['Column 1'], ['ada@example.com'], ['bob@example.com'], ['cy@example.com']],
  },
  'crm-export.csv': {
    isSame: true,
    rows: [
      ['Id', 'First Name', 'Email', 'Phone'],
      ['003A1', 'Ada', 'ada@example.com', '+1 (555) 010-1'],
      ['003A2', 'O"Neil', 'oneil@example.com', ''],
    ],
  },
  'without-titles.csv': {
    rows: [
      ['Column 1', 'Column 2'],
      ['Ada', 'ada@example.com'],
      ['Bob', 'bob@example.com'],
    ],
  },
  'uneven-rows.csv': {
    rows: [
      ['email', 'name', 'city'],
      ['ada@example.com', '', ''],
      ['bob@example.com', 'Bob', ''],
      ['x', '', ''],
    ],
    addresses: ['ada@example.com', 'bob@example.com'],
    reasons: ['has no @'],
  },
  'contacts.csv': {
    rows: [
      ['Contact', 'List'],
      ['Ada Lovelace <ada@example.com>', 'a'],
      ['"Bob" <bob@example.com>', 'b'],
    ],
    addresses: ['ada@example.com', 'bob@example.com'],
  },
  'three-columns.csv': {
    isSame: true,
    review: ['Work 2 addresses of 2 rows', 'Home 1 address of 2 rows', 'Boss 2 addresses of 2 rows'],
    rows: [
      ['Name', 'Work', 'Home', 'Boss'],
      ['Ada', 'ada@work.example', 'ada@home.example', 'boss@work.example'],
      ['Bob', 'bob@work.example', '', 'boss@work.example'],
    ],
    addresses: ['ada@work.example', 'bob@work.example'],
  },
  'long-numbers.xlsx': {
    rows: [
      ['Email', 'Card', 'Short'],
      ['ada@example.com', '4111111111111111', '411111111111111'],
      ['bob@example.com', '12345678901234567890', '7'],
    ],
    values: [
      ['Email', 'Card', 'Short'],
      ['ada@example.com', '4111111111111111', [411111111111111, 'General']],
      ['bob@example.com', '12345678901234567890', [7, 'General']],
    ],
  },
  'errors.xlsx': {
    rows: [
      ['Email', 'Plan', 'Active'],
      ['ada@example.com', '#N/A', 'FALSE'],
    ],
    values: [
      ['Email', 'Plan', 'Active'],
      ['ada@example.com', '#N/A', false],
    ],
  },
  'two-sheets.ods': {
    review: ['1 row of the sheet Kunden'],
    rows: [
      ['Name', 'Email'],
      ['Jörg', 'joerg@example.com'],
    ],
  },
  'two-sheets.xls': {
    review: ['1 row of the sheet Kunden'],
    rows: [
      ['Name', 'Email'],
      ['Jörg', 'joerg@example.com'],
    ],
  },
  'without-address.csv': { refused: 'We found no email address in this file' },
  'without-address.xlsx': { refused: 'We looked through the sheets “Plan”, “Old” (hidden).' },
  'open-quote.csv': { refused: 'A quotation mark in row 2 does not close where its cell ends' },
  'empty.csv': { refused: 'This file is empty' },
  'document.pdf': { refused: 'got a PDF.' },
  'picture.png': { refused: 'got an image.' },
  'packed.csv.gz': { refused: 'got a compressed file.' },
  'letter.rtf': { refused: 'got a text document.' },
  'letter.docx': { refused: 'got a Word document.' },
  'binary.xlsb': { refused: 'got a binary workbook (XLSB).' },
  'protected.xlsx': { refused: 'The workbook is protected with a password.' },
};

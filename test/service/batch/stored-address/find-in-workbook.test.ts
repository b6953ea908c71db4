/** What of a kept workbook is searched for an address, however it is written. */
import { beforeEach, expect, it } from 'vitest';
import { findInWorkbooks } from '../../../../src/service/batch/stored-address/find-in-workbook.ts';
import { createMatcher } from '../../../../src/service/batch/stored-address/match-address.ts';
import { FILE_PIECE_BYTES } from '../../../../src/service/lists/reading/list-limits.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { zipOf } from '../../support/workbook.ts';

const { db } = await testDatabase();
const LIST = 'f'.repeat(24);

let accountId: string;
beforeEach(async () => {
  await db.deleteFrom('accounts').execute();
  accountId = await makeAccount(db, 10);
});

async function keep(file: Buffer): Promise<void> {
  const original = { bytes: file.length };
  const list = {
    ...{ id: LIST, account_id: accountId, name: 'people.xlsx', columns: 1, row_count: 1 },
    ...{ header: null, address_column: 0, findings: JSON.stringify({ original }) },
  };
  await db.insertInto('lists').values(list).execute();
  for (let from = 0; from < file.length; from += FILE_PIECE_BYTES) {
    const bytes = file.subarray(from, from + FILE_PIECE_BYTES);
    const piece = { list_id: LIST, number: from / FILE_PIECE_BYTES, bytes };
    await db.insertInto('list_files').values(piece).execute();
  }
}

const isFound = async () =>
  (await findInWorkbooks(db, accountId, createMatcher('ada@example.com'))).length === 1;

const LONG = 5 * 1024 * 1024;
const FONTS = '<si><r><rPr><b/>x</rPr><t>ada@</t></r><r><t>example.com</t></r></si>';
const rows = (text: string) => `${'<row><c><v>1</v></c></row>'.repeat(20_000)}${text}`;

it.each([
  ['in a text', 'xl/sharedStrings.xml', '<sst><si><t>Ada@Example.com</t></si></sst>', true],
  ['in an attribute', 'xl/_rels/a.rels', '<a b="mailto:ada@example.com"/>', true],
  ['as a number of each character', 'xl/a.xml', '<a>&#97;da&#x40;example.com</a>', true],
  ['with an escaped character', 'xl/a.xml', '<a>ada_x0040_example.com</a>', true],
  ['in several fonts', 'xl/a.xml', FONTS, true],
  ['at the end of a part without tags', 'xl/a.xml', 'ada@example.com', true],
  ['after half a megabyte', 'xl/a.xml', `<a>${rows('<t>ada@example.com</t>')}</a>`, true],
  ['where what cannot be read might have it', 'xl/a.xml', '<a', true],
  ['where a tag is too long', 'xl/a.xml', `<a b="${'x'.repeat(LONG)}"/>`, true],
  ['where a text is too long', 'xl/a.xml', `<a>${'x'.repeat(LONG)}</a>`, true],
  ['in two cells', 'xl/a.xml', '<a><v>ada@</v><v>example.com</v></a>', false],
  ['in the name of a font', 'xl/a.xml', '<si><r><rPr>ada@example.com</rPr><t>x</t></r></si>', false],
  ['in a longer address', 'xl/a.xml', '<a>nada@example.com</a>', false],
  ['in a picture', 'xl/media/a.png', 'ada@example.com', false],
])('looks for an address %s', async (_, part, content, found) => {
  await keep(await zipOf({ [part]: content }));
  expect(await isFound()).toBe(found);
});

it('passes over a file that was deleted meanwhile', async () => {
  await keep(await zipOf({ 'xl/a.xml': '<a>ada@example.com</a>' }));
  await db.deleteFrom('list_files').execute();
  expect(await isFound()).toBe(false);
});

it('does not hide a fault of the file', async () => {
  await keep(Buffer.alloc(100));
  await expect(isFound()).rejects.toThrow();
});

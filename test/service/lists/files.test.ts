/** Files as programs make them, from the upload to the download. `files/make.mjs` makes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type CellObject, read } from '@e965/xlsx';
import iconv from 'iconv-lite';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { addressesOf, batchesOf, NEW, upload } from '../dashboard/lists/world.ts';
import { testDatabase } from '../support/database.ts';
import { startStoredService } from '../support/stored-service.ts';
import { arrive } from '../support/visitor.ts';
import { EXPECTED, type Expected } from './files/expected.ts';

const FOLDER = join(import.meta.dirname, 'files');
const { db } = await testDatabase();

const entries = Object.entries(EXPECTED);
const refused = entries.filter(([, { refused }]) => refused !== undefined);
const taken = entries.filter(([, { refused }]) => refused === undefined);

const fileOf = (name: string) => ({ name, bytes: readFileSync(join(FOLDER, name)) });

it('has an expectation for each file', () => {
  const files = readdirSync(FOLDER).filter((name) => !/\.(mjs|ts)$/.test(name));
  expect(Object.keys(EXPECTED).sort()).toEqual(files.sort());
});

it.each(refused)('refuses %s with a sentence', async (name, { refused }) => {
  const { visitor } = await arrive(await startStoredService(db), db);
  await visitor.open(NEW);
  await visitor.upload('Upload', fileOf(name));
  expect(visitor.status).toBe(422);
  expect(visitor.text).toContain(refused);
});

/** Uploads a file, reviews it, and starts it as a test. */
async function startTest(name: string, { review = [], addresses, encoding }: Expected) {
  const { visitor, person } = await arrive(await startStoredService(db), db);
  await upload(visitor, fileOf(name));
  if (encoding !== undefined) {
    await visitor.press('Read the list again', { encoding });
    await visitor.follow();
  }
  for (const text of review) expect(visitor.text).toContain(text);
  await visitor.press('Start');
  expect([visitor.status, visitor.text]).toEqual([303, '']);
  const [batch] = await batchesOf(db, person);
  const verified = (await addressesOf(db, batch!.id)).map(([address]) => `${address}`);
  if (addresses) expect(verified).toEqual(addresses);
  return {
    verified,
    async download(format: 'csv' | 'xlsx') {
      const url = `/dashboard/batches/${batch!.id}/download?columns=short&format=${format}`;
      const { response } = await visitor.open(url);
      return { bytes: response.rawPayload, headers: response.headers };
    },
  };
}

const PLAIN = new Set(['plain-list.txt', 'one-line.txt']);

/** The columns `state`, `reason`, `score`, `did_you_mean` and `duplicate`. */
const ADDED = 5;

it.each(taken)('gives the cells of %s back as text', async (name, expected) => {
  const { download, verified } = await startTest(name, expected);
  const { bytes, headers } = await download('csv');
  const charset = /charset=(.*)/.exec(String(headers['content-type']))![1]!;
  const text = iconv.decode(bytes, charset, { stripBOM: true });
  const { data } = Papa.parse<string[]>(text.replace(/^sep=.\r?\n/, ''), { skipEmptyLines: true });
  expect(data.map((cells) => cells.slice(0, -ADDED))).toEqual(expected.rows);
  expectOwnResults(data.slice(1), verified);
  if (expected.reasons) {
    const not = data.filter((cells) => cells.at(-ADDED) === 'not verified');
    expect(not.map((cells) => cells.at(1 - ADDED))).toEqual(expected.reasons);
  }
  if (!expected.isSame) return;
  // The same bytes, with the result at the end of each line.
  const uploaded = iconv.decode(fileOf(name).bytes, charset, { stripBOM: false }).trimEnd();
  const raw = iconv.decode(bytes, charset, { stripBOM: false });
  const lines = linesOf(name, uploaded);
  const end = uploaded.includes('\r\n') ? '\r\n' : '\n';
  expect([raw.endsWith(end), raw.includes('\r')]).toEqual([true, uploaded.includes('\r')]);
  const got = raw.split(end === '\n' ? /\n(?!lines)/ : '\r\n');
  expect(got.slice(0, -1).map((line, index) => line.slice(0, lines[index]?.length))).toEqual(lines);
});

/** A row has the result of its own cells: results that are shifted by one row are found. */
function expectOwnResults(rows: readonly string[][], verified: readonly string[]): void {
  const seen = new Set<string>();
  for (const cells of rows) {
    const text = cells.slice(0, -ADDED).join(' ').toLowerCase();
    const own = verified.find((address) => text.includes(address.toLowerCase()));
    expect([text, cells.at(-ADDED) !== 'not verified']).toEqual([text, own !== undefined]);
    expect([text, cells.at(-1) === 'true']).toEqual([text, own !== undefined && seen.has(own)]);
    if (own !== undefined) seen.add(own);
  }
}

function linesOf(name: string, text: string): string[] {
  // A plain list gets a title, and a line for each entry. Its empty lines are left out.
  if (PLAIN.has(name)) return ['Column 1', ...text.split(/[\s,;]+/)];
  return text.split(/\r\n|\n(?!lines)/);
}

/** The sheet with the list is the one that the review page names. */
const listIn = ({ sheets, review = [] }: Expected): string =>
  sheets!.find((name) => review.some((text) => text.endsWith(`of the sheet ${name}`))) ?? sheets!.at(-1)!;

it.each(taken)('gives the cells of %s back as a workbook', async (name, expected) => {
  const { download } = await startTest(name, expected);
  const { bytes } = await download('xlsx');
  const book = read(bytes, { type: 'buffer', dense: true, cellNF: true });
  expect(book.SheetNames).toEqual(expected.sheets ?? [expect.any(String)]);
  const sheet = book.Sheets[expected.sheets ? listIn(expected) : book.SheetNames[0]!]!;
  const data = sheet['!data'] as CellObject[][];
  const contentOf = (cell: CellObject | undefined) => {
    if (!cell || cell.t === 'z') return '';
    return cell.t === 'n' || (cell.z ?? 'General') !== 'General' ? [cell.v, cell.z] : cell.v;
  };
  const columns = expected.rows![0]!.length;
  // An empty row is not there.
  const got = data
    .filter((row) => row !== undefined)
    .map((row) => Array.from({ length: columns }, (_, column) => contentOf(row[column])));
  expect(got).toEqual(expected.values ?? expected.rows);
});

const whole = taken.filter(([, { sheets }]) => sheets !== undefined);

it.each(whole)('gives the other sheets of %s back as they were', async (name, expected) => {
  const { download } = await startTest(name, expected);
  const before = await partsOf(fileOf(name).bytes);
  const after = await partsOf((await download('xlsx')).bytes);
  const own = `xl/worksheets/sheet${expected.sheets!.indexOf(listIn(expected)) + 1}.xml`;
  const changed = [...before.keys()].filter((part) => before.get(part) !== after.get(part));
  expect(changed).toEqual([own]);
  expect([...after.keys()].filter((part) => !before.has(part))).toEqual([]);
});

async function partsOf(bytes: Buffer): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  for await (const entry of zip.eachEntry())
    parts.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString('latin1'));
  return parts;
}

/** Reads a download as its users do: with a library, and with the programs that are installed here. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';

/** The only entry of the archive, which is checked: its name and its text. */
export async function unzip(zip: Buffer): Promise<{ name: string; csv: string }> {
  const found: { name: string; csv: string }[] = [];
  await new Promise<void>((resolve, reject) => {
    yauzl.fromBuffer(zip, { lazyEntries: true }, (error, file) => {
      if (error) return reject(error);
      file.on('error', reject).on('end', resolve);
      file.on('entry', (entry) => {
        file.openReadStream(entry, async (failed, stream) => {
          if (failed) return reject(failed);
          // It compares the size and, in `validateEntrySize`, what was announced.
          const csv = (await buffer(stream)).toString();
          found.push({ name: entry.fileName, csv });
          file.readEntry();
        });
      });
      file.readEntry();
    });
  });
  if (found.length !== 1) throw new Error(`Expected one entry in the archive, got ${found.length}.`);
  return found[0]!;
}

/** Reads CSV strictly by the grammar of RFC 4180, section 2. */
export function parseCsv(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  const rows: string[][] = [];
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain, end] = cell.exec(text) ?? [];
    if (end === undefined)
      throw new Error(`Expected a cell of a CSV at ${at}, got ${text.slice(at, at + 40)}`);
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const PYTHON = `
import csv, io, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
[name] = archive.namelist()
csv.field_size_limit(10 ** 9)
rows = list(csv.reader(io.StringIO(archive.read(name).decode('utf-8'), newline='')))
json.dump(rows, sys.stdout)
`;

/** Python's csv takes NUL since 3.11. */
const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { stdio: 'ignore' })
    .status === 0;
const hasUnzip = spawnSync('unzip', ['-v'], { stdio: 'ignore' }).status === 0;

/** Each takes an archive and returns the rows of its CSV. The first one is always there. */
export const READERS: readonly (readonly [string, (zip: Buffer) => Promise<string[][]>])[] = [
  ['yauzl', async (zip) => parseCsv((await unzip(zip)).csv)],
  ...(hasUnzip ? ([['unzip', async (zip: Buffer) => parseCsv(run('unzip', ['-p'], zip))]] as const) : []),
  ...(hasPython
    ? ([['Python', async (zip: Buffer) => JSON.parse(run('python3', ['-c', PYTHON], zip))]] as const)
    : []),
];

function run(command: string, parameters: readonly string[], zip: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'evw-download-'));
  try {
    const path = join(folder, 'batch.zip');
    writeFileSync(path, zip);
    return execFileSync(command, [...parameters, path], { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

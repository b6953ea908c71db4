/** Reads the data model of ARCHITECTURE.md, and finds the statements of the sources that write a table. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COPIED_TABLES, LEFT_TABLES } from '../src/service/database/backup/copy-database.ts';

const [, SECTION = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split('\n## Data model\n');
/** The folder of the service that owns each table. */
const OWNERS = new Map(
  [...SECTION.matchAll(/^- `(src\/service\/.*?)`\n((?: {2}- .*\n)+)/gm)].flatMap(([, owner, rows]) =>
    [...rows!.matchAll(/^ {2}- (\w+) \(.+?\): ./gm)].map(([, table]) => [table!, owner!] as const),
  ),
);

/**
 * These write tables of all owners: migrations and copies move rows between schemas and databases, new keys seal stored
 * secrets again, and the demo makes a past, which no owner would.
 */
const FOR_ALL = /^src\/service\/(database\/|demo\/demo-store\.ts$)/;
const WRITES =
  /\b(?:insertInto|updateTable|deleteFrom)\((?:'(\w+))?|\b(?:insert into|update|delete from)\s+(?:(\w+)|\$)|\breplaceText\(db, '(\w+)'|\bdeleteSome\(\s*db,\s*'(\w+)'/g;

/** The tables that a text writes. If a variable names one, all tables of its loop count, and without a loop all. */
function writtenIn(text: string): string[] {
  const names = [...text.matchAll(WRITES)].map((match) => match.slice(1).find((name) => name !== undefined));
  const looped = text.match(/const table of \[(.*?)\]/)?.[1]?.match(/\w+/g) ?? [...OWNERS.keys()];
  const written = names.includes(undefined) ? [...names, ...looped] : names;
  return [...OWNERS.keys()].filter((table) => written.includes(table));
}

function read(folder: string, ending: string) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith(ending) && !file.includes('node_modules'),
  );
  return files.flatMap((file) =>
    writtenIn(readFileSync(`${folder}/${file}`, 'utf8')).map((table) => ({
      file: `${folder}/${file}`,
      table,
    })),
  );
}

const WRITTEN = read('src', '.ts').filter(({ file }) => !FOR_ALL.test(file));

it('names the owner of each table', () => {
  expect([...OWNERS.keys()].sort()).toEqual([...COPIED_TABLES, ...LEFT_TABLES].sort());
  expect([...OWNERS.values()].filter((owner) => !existsSync(owner))).toEqual([]);
});

it('writes a table only in the folder of its owner', () => {
  const wrong = WRITTEN.filter(({ file, table }) => !file.startsWith(OWNERS.get(table)!));
  expect(wrong.map(({ file, table }) => `${file} writes ${table}`)).toEqual([]);
});

it('writes each table in the folder of its owner, or in a function of the database', () => {
  const written = [...WRITTEN, ...read('src/service/database/functions', '.sql')].map(({ table }) => table);
  expect([...OWNERS.keys()].filter((table) => !written.includes(table))).toEqual([]);
});

/** Tables without personal data and secrets: numbers, times and ids. */
const NEITHER = [
  ...['ledger', 'payments', 'credit_references', 'ledger_months', 'key_spending', 'client_ids'],
  ...['batch_storage', 'callbacks', 'callback_tries', 'batch_progress'],
  ...['daily_results', 'unproved_results', 'book_audit'],
];

it('says in docs/hosting.md what each table of a backup holds in clear', () => {
  const [, after = ''] = readFileSync('docs/hosting.md', 'utf8').split('| in clear |');
  const [table = ''] = after.split('\n\n');
  const rows = table.split('\n').slice(2);
  const named = rows.flatMap((row) =>
    [
      ...row
        .split('|')
        .at(-2)!
        .matchAll(/`(\w+)`/g),
    ].map(([, name]) => name!),
  );
  expect([...new Set([...named, ...NEITHER])].sort()).toEqual([...COPIED_TABLES].sort());
});

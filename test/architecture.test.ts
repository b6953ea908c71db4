/** Reads the imports of the sources and keeps their direction. ARCHITECTURE.md has the map and the reasons. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const SHARED = ['protocol', 'shared'];
/** The folders of src/, each with what its files may import from the other folders. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  shared: ['protocol'],
  engine: SHARED,
  sample: [...SHARED, 'engine'],
  // A page of the demo shows what the page's own server finds.
  service: [...SHARED, 'engine', 'sample', 'house-style', 'server/email-token.ts'],
  cli: [...SHARED, 'engine', 'sample', 'service'],
  // The widget loads the explanations when a page asks for them.
  widget: ['protocol', 'debug/index.ts'],
  locales: ['protocol', 'widget'],
  captcha: ['protocol', 'widget', 'locales/page'],
  debug: ['protocol', 'widget'],
  frameworks: ['widget'],
  dashboard: [],
  // Rules of the widget that a server needs in the same words.
  server: ['protocol', 'widget/check/address.ts', 'widget/check/retry.ts'],
  testing: ['protocol', 'widget', 'sample', 'engine/address', 'engine/facts'],
};
const PUBLISHED = /^(widget|locales|captcha|debug|frameworks|server|testing)\//;
/** Users of the package have these installed. Only the testing kit runs in Node. */
const USERS_OWN =
  /^frameworks\/(react|vue)\.ts \1$|^frameworks\/shared\/.* (react|vue)$|^testing\/.* (msw|@playwright\/test|node:.*)$/;

interface Import {
  readonly from: string;
  /** A file of src/, or the name of a package. */
  readonly to: string;
  readonly statement: string;
}

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^(?!.*node_modules).*\.ts$/.test(file) && !file.endsWith('.d.ts'),
);
/** Imports of types count too: a file that names another's type cannot be understood without it. */
const IMPORTS: readonly Import[] = FILES.flatMap((from) => {
  const text = readFileSync(join('src', from), 'utf8');
  const found = text.matchAll(
    /^(?:import|export)\b[^;']*\bfrom '(.+?)'|^import '(.+?)'|^[^*/\n]*\bimport\('(.+?)'\)/gm,
  );
  return [...found].map(([statement, ...names]) => {
    const name = names.find((part) => part !== undefined)!;
    if (name.startsWith('.')) return { from, to: join(dirname(from), name), statement };
    return { from, to: name === 'email-verify-widget' ? 'widget/index.ts' : name, statement };
  });
});
const isFile = (name: string) => FILES.includes(name) || name.endsWith('.css');
const isIn = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
const sayImport = ({ from, to }: Import) => `${from} imports ${to}`;

/** A folder of the service is a room, with its sub-folders. */
const roomOf = (file: string) => file.split('/').slice(0, 2).join('/');

/** Everything that is loaded or named when the file is, by whatever way. */
function importsBehind(file: string, seen = new Set<string>()): Import[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const own = IMPORTS.filter(({ from }) => from === file);
  return [...own, ...own.flatMap(({ to }) => importsBehind(to, seen))];
}

/** The files and packages that are loaded at once when the file is. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { from, to, statement } of IMPORTS)
    if (from === file && !/^\w+ type\b|\bimport\(/.test(statement)) loadedBy(to, seen);
  return seen;
}

it('finds the file behind every relative import', () => {
  expect(FILES.length).toBeGreaterThan(200);
  const dangling = IMPORTS.filter(({ to }) => to.endsWith('.ts') && !isFile(to));
  expect(dangling.map(sayImport)).toEqual([]);
});

it('imports in one direction only', () => {
  const wrong = IMPORTS.filter(({ from, to }) => {
    const [folder = '', other] = [from.split('/')[0], isFile(to) ? to.split('/')[0] : undefined];
    const allowed = MAY_IMPORT[folder];
    if (!allowed)
      throw new Error(`Expected src/${folder} in MAY_IMPORT, got no entry. Say what it may import.`);
    return other !== undefined && other !== folder && !allowed.some((part) => to === part || isIn(part)(to));
  });
  expect(wrong.map(sayImport)).toEqual([]);
});

it('publishes nothing that needs the service, the lists of the engine or a run-time package', () => {
  const wrong = FILES.filter((file) => PUBLISHED.test(file)).flatMap((file) =>
    importsBehind(file).filter(({ to }) => {
      if (isFile(to)) return to.startsWith('service/') || to === 'engine/facts/lists.ts';
      return !USERS_OWN.test(`${file} ${to}`);
    }),
  );
  expect([...new Set(wrong.map(sayImport))]).toEqual([]);
});

it('connects the widget and its face by the seam alone', () => {
  const isFace = isIn('widget/face');
  // What each bundle has a copy of: it keeps no state, and knows nothing of a field.
  const shared = /^widget\/seam\.ts$/;
  const wrong = IMPORTS.filter(({ from, to }) =>
    isFace(from) ? !isFace(to) && !shared.test(to) : isIn('widget')(from) && isFace(to),
  );
  // The script of one file has both, and the module loads the face later.
  expect(wrong.map(sayImport)).toEqual([
    'widget/index.ts imports widget/face/index.ts',
    'widget/standalone.ts imports widget/face/index.ts',
  ]);
  expect([...loadedBy('widget/index.ts')].filter(isFace)).toEqual([]);
});

it('has each file of the service in a room, under a name of its own', () => {
  const files = FILES.filter(isIn('service'));
  expect(files.filter((file) => file.split('/').length < 3)).toEqual([]);
  const names = files.map((file) => basename(file));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('imports nothing of the service into its core, and its app nowhere', () => {
  const own = IMPORTS.filter(({ from, to }) => roomOf(from) !== roomOf(to));
  const wrong = own.filter(({ from, to }) =>
    isIn('service/core')(from)
      ? isFile(to) && isIn('service')(to)
      : isIn('service')(from) && isIn('service/app')(to),
  );
  expect(wrong.map(sayImport)).toEqual([]);
});

it('loads neither a store nor a database driver in a service without a database', () => {
  const loaded = ['run', 'web'].flatMap((name) => [...loadedBy(`service/app/${name}.ts`)]);
  expect(loaded).toContain('service/verify/verification.ts');
  expect(loaded.filter((name) => /-store\.ts$|^(kysely|pg)$/.test(name))).toEqual([]);
});

it('loads what reads workbooks only in the processes that read them', () => {
  const loaded = [...loadedBy('service/app/database-routes.ts')];
  expect(loaded).toContain('service/batch/export/export-rows.ts');
  expect(loaded.filter((name) => /^(numfmt|@e965\/xlsx)$/.test(name))).toEqual([]);
});

it('keeps HTTP apart from keys, access and the database', () => {
  const behind = FILES.filter(isIn('service/http')).flatMap((file) => importsBehind(file));
  expect(behind.filter(({ to }) => /^service\/(keys|access|database)\//.test(to)).map(sayImport)).toEqual([]);
});

it('reaches PostgreSQL only through the database, and writes SQL only in stores', () => {
  const outside = IMPORTS.filter(({ from }) => !isIn('service/database')(from));
  expect(outside.filter(({ to }) => to === 'pg').map(sayImport)).toEqual([]);
  const writing = outside.filter(({ to, statement }) => to === 'kysely' && /\bsql\b/.test(statement));
  expect(writing.filter(({ from }) => !from.endsWith('-store.ts')).map(sayImport)).toEqual([]);
});

const PAGE = readFileSync('ARCHITECTURE.md', 'utf8');
const MAPPED = [...PAGE.matchAll(/^- (`.*?`): /gm)].flatMap(([, cell = '']) => {
  const [first = '', ...others] = [...cell.matchAll(/`(.+?)`/g)].map(([, path]) => path!);
  // A folder or file that is not at the top is next to the one before it.
  return [first, ...others.map((path) => (existsSync(path) ? path : join(dirname(first), path)))];
});

it('imports only from rooms above in the tree', () => {
  const rows = MAPPED.flatMap((path) => path.match(/^src\/(service\/\w+)\/$/)?.[1] ?? []);
  const upwards = IMPORTS.filter(({ from, to }) => isIn('service')(from) && isIn('service')(to) && isFile(to))
    .filter(({ from, to }) => roomOf(from) !== roomOf(to))
    .filter(({ from, to }) => rows.indexOf(roomOf(to)) > rows.indexOf(roomOf(from)));
  expect(rows.length).toBeGreaterThan(20);
  expect(upwards.map(sayImport)).toEqual([]);
});

it('says it in at most 4,000 words, as wc counts', () => {
  expect(PAGE.trim().split(/\s+/).length).toBeLessThanOrEqual(4_000);
});

it('explains at most 40 words in its glossary', () => {
  const [, glossary = ''] = PAGE.split('\n## Glossary\n');
  expect(glossary.split('\n## ')[0]!.match(/^- /gm)!.length).toBeLessThanOrEqual(40);
});

it('maps files and folders that exist, and draws them', () => {
  const drawn = [...PAGE.matchAll(/^```text\n(.*?)^```/gms)].flatMap(
    ([, text = '']) => text.match(/src\/[\w./-]+/g) ?? [],
  );
  expect(MAPPED.length).toBeGreaterThan(70);
  expect(drawn.length).toBeGreaterThan(20);
  expect([...MAPPED, ...drawn].filter((path) => !existsSync(path))).toEqual([]);
});

it.each(['src', 'src/service'])('maps every folder of %s', (parent) => {
  const folders = readdirSync(parent, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules',
  );
  // The line of a folder, or of the files in it.
  const unmapped = folders.filter(({ name }) => !MAPPED.some(isIn(`${parent}/${name}`)));
  expect(unmapped.map(({ name }) => name)).toEqual([]);
});

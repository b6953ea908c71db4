import MiniSearch from 'minisearch';
import { expect, it, vi } from 'vitest';
import {
  createSearch,
  type Hit,
  MAX_QUERY,
  type SearchEntry,
} from '../../../src/service/docs/docs-search.ts';
import { SITE } from '../support/docs.ts';

const entry = (url: string, heading: string, text = '', code = '', names = ''): SearchEntry => ({
  ...{ url, heading, text, code, names },
  section: 'API',
  title: 'Page',
});

const searchDocs = createSearch(async () => SITE.entries);

async function hitsOf(query: string, entries?: readonly SearchEntry[]): Promise<readonly Hit[]> {
  const search = entries ? createSearch(async () => entries) : searchDocs;
  const findings = await search(query);
  return findings.outcome === 'found' ? findings.hits : [];
}

const urls = (hits: readonly Hit[]) => hits.map(({ url }) => url);

it.each([
  ['verifyAfterDelay', /verifyAfterDelay/i],
  ['captcah', /captcha/i],
  ['ouath', /oauth/i],
  ['turnst', /turnstile/i],
  ['DATABASE_URL', /DATABASE_URL/],
  ['/v1/batch', /batch/i],
  ['reverse proxy', /reverse proxy/i],
  ['<b>CORS</b>', /CORS/i],
])('finds %s in this documentation', async (query, text) => {
  const [{ title, heading, snippet }] = (await hitsOf(query)) as [Hit];
  const parts = [title, ...heading, ...snippet];
  expect(parts.map((part) => (typeof part === 'string' ? part : part.text)).join('')).toMatch(text);
});

it('puts a heading before a text, and a text before code', async () => {
  const entries = [
    entry('/docs/code/', 'One', 'Other words', 'proxy'),
    entry('/docs/text/', 'Two', 'A proxy in a text'),
    entry('/docs/heading/', 'Proxy', 'Other words'),
  ];
  expect(urls(await hitsOf('proxy', entries))).toEqual(['/docs/heading/', '/docs/text/', '/docs/code/']);
});

it.each([
  ['verifyOn', '/docs/widget/#options'],
  ['statusAppendTo', '/docs/widget/#options'],
  ['style', '/docs/widget/#options'],
  ['trustProxy', '/docs/configuration/#service'],
  ['perHost', '/docs/configuration/#live-verification'],
  ['slow_down', '/docs/oauth/#errors'],
  ['destroy', '/docs/widget/#methods'],
])('finds the place that defines %s among the first three', async (name, place) => {
  expect(urls(await hitsOf(name)).slice(0, 3)).toContain(place);
});

it('finds a name by its words', async () => {
  const hits = await hitsOf('after delay', [entry('/docs/a/', 'One', 'Set verifyAfterDelay to 0.')]);
  expect(hits[0]!.snippet).toContainEqual({ text: 'Delay', isMatch: true });
});

it('wants all words, and falls back to those that it knows', async () => {
  const entries = [entry('/docs/a/', 'One', 'retry later'), entry('/docs/b/', 'Two', 'retry')];
  expect(urls(await hitsOf('retry later', entries))).toEqual(['/docs/a/']);
  expect(urls(await hitsOf('retry nonsense', entries)).sort()).toEqual(['/docs/a/', '/docs/b/']);
});

it('shows the code if only that matches', async () => {
  const [hit] = await hitsOf('needle', [entry('/docs/a/', 'One', 'Words', 'const needle = 1;')]);
  expect(hit!.snippet).toContainEqual({ text: 'needle', isMatch: true });
});

it('shows four passages of a page at most, and twenty in all', async () => {
  const passages = (page: string) =>
    Array.from({ length: 9 }, (_, index) => entry(`/docs/${page}/#h${index}`, 'Heading', 'needle'));
  const pages = Array.from({ length: 9 }, (_, index) => passages(`p${index}`)).flat();
  const hits = await hitsOf('needle', pages);
  expect(hits).toHaveLength(20);
  expect(hits.filter(({ url }) => url.startsWith('/docs/p0/'))).toHaveLength(4);
});

it('finds nothing for nonsense, for marks alone and for what JavaScript has by itself', async () => {
  for (const query of ['qqqqxxxxzzzz', '…', '<>&"\'', '__proto__', 'constructor.prototype'])
    expect(urls(await hitsOf(query, [entry('/docs/a/', 'One', 'Words')])), query).toEqual([]);
});

it('reads nothing for an empty query and for one that is too long', async () => {
  const read = vi.fn(async () => []);
  const search = createSearch(read);
  expect(await search(' \n ')).toEqual({ outcome: 'empty' });
  expect(await search('a'.repeat(10_000))).toEqual({ outcome: 'tooLong', length: 10_000 });
  expect(read).not.toHaveBeenCalled();
});

it('makes its index once, and tries again if the files could not be read', async () => {
  const read = vi.fn(async () => [entry('/docs/a/', 'One')]);
  read.mockRejectedValueOnce(new Error('away'));
  const search = createSearch(read);
  await expect(search('one')).rejects.toThrow('away');
  await Promise.all([search('one'), search('one')]);
  expect(read).toHaveBeenCalledTimes(2);
});

type LookUp = { readonly term: string; readonly prefix: boolean; readonly fuzzy: number };

it.each([
  ['beginnings of almost every word', 'co ve re de in an th se ac pa '.repeat(6)],
  ['letters', 'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(3)],
  ['words with errors', Array.from({ length: 12 }, (_, index) => `verificatoin${index}s`).join(' ')],
  ['one long word', 'x'.repeat(MAX_QUERY)],
])('looks up a bounded number of words for the worst query: %s', async (_, query) => {
  await searchDocs('one');
  const prototype = MiniSearch.prototype as unknown as { executeQuerySpec(lookUp: LookUp): unknown };
  const spy = vi.spyOn(prototype, 'executeQuerySpec');
  expect(await searchDocs(query)).toMatchObject({ outcome: 'found' });
  const lookUps = spy.mock.calls.map(([lookUp]) => lookUp);
  // Three readings: the words, the words with one letter wrong, and with two. All have the whole query as a name, too.
  expect(lookUps.filter(({ prefix }) => prefix).length).toBeLessThanOrEqual(3 * (10 + 1));
  expect(lookUps.filter(({ prefix, term }) => prefix && term.length < 2)).toEqual([]);
  expect(lookUps.filter(({ fuzzy }) => fuzzy > 0).length).toBeLessThanOrEqual(2 * 10);
  // Each word with each two of its letters swapped.
  expect(lookUps.length).toBeLessThanOrEqual(3 * (10 + 1) + 2 * MAX_QUERY);
});

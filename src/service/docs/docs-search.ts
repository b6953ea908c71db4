/** Searches the documentation. It finds words by their beginnings and despite typing errors, at a bounded cost. */
import type { default as MiniSearch, Query, SearchResult } from 'minisearch';
import { markTerms, type SnippetPart, snippetOf } from './search-snippet.ts';

/** What stands under one heading. */
export interface SearchEntry {
  /** With the anchor of the heading. */
  readonly url: string;
  readonly section: string;
  /** Of the page. */
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly code: string;
  /** What is defined there, a line each: code in the first column of a table, such as the name of an option. */
  readonly names: string;
}

export interface Hit extends Pick<SearchEntry, 'url' | 'section' | 'title'> {
  /** Empty if it is the page's title. */
  readonly heading: readonly SnippetPart[];
  readonly snippet: readonly SnippetPart[];
}

export type Findings =
  | { readonly outcome: 'empty' }
  /** The query has more characters than `MAX_QUERY`. */
  | { readonly outcome: 'tooLong'; readonly length: number }
  | { readonly outcome: 'found'; readonly hits: readonly Hit[] };

export type Search = (query: string) => Promise<Findings>;

/** In characters: longer than any name in the documents. */
export const MAX_QUERY = 200;
const MAX_TERMS = 10;
export const MAX_HITS = 20;
/** So that one long page does not hide the others. */
const MAX_HITS_OF_PAGE = 4;
/** Of a word that may be the beginning of another. */
const SHORTEST_BEGINNING = 2;
/** The fields of an entry that are indexed by word. */
const WORDS = ['heading', 'title', 'text', 'code'];
/** How many entries the index takes before other requests have their turn. */
const CHUNK = 20;

interface Indexed extends SearchEntry {
  readonly id: number;
}

/** @param read is called at the first query. If it fails, the next query tries again. */
export function createSearch(read: () => Promise<readonly SearchEntry[]>): Search {
  let index: Promise<Index> | undefined;
  return async (text) => {
    const query = text.trim();
    if (query === '') return { outcome: 'empty' };
    if (query.length > MAX_QUERY) return { outcome: 'tooLong', length: query.length };
    index ??= makeIndex(read);
    const made = await index.catch((error) => {
      index = undefined;
      throw error;
    });
    return { outcome: 'found', hits: hitsOf(made, query) };
  };
}

interface Index {
  readonly words: MiniSearch<Indexed>;
  readonly entries: readonly SearchEntry[];
}

async function makeIndex(read: () => Promise<readonly SearchEntry[]>): Promise<Index> {
  // Loaded with the index: a service whose documentation is not searched does not need it.
  const [{ default: Words }, entries] = await Promise.all([import('minisearch'), read()]);
  const words = new Words<Indexed>({
    fields: ['names', ...WORDS],
    tokenize: (text, field) => (field === 'names' ? namesIn(text) : wordsOf(text)),
    processTerm: (term, field) => (field === 'names' ? term.toLowerCase() : spellings(term)),
    searchOptions: {
      processTerm: (term) => term.toLowerCase(),
      boost: { heading: 4, names: 8, title: 2, code: 0.5 },
      prefix: (term) => term.length >= SHORTEST_BEGINNING,
    },
  });
  const indexed = entries.map((entry, id) => ({ ...entry, id }));
  await words.addAllAsync(indexed, { chunkSize: CHUNK });
  return { words, entries };
}

/** A name such as `verifyAfterDelay` is found as a whole and by each of its words. */
function spellings(term: string): string | string[] {
  const parts = term.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
  const lower = term.toLowerCase();
  return parts.length === 1 ? lower : [lower, ...parts.map((part) => part.toLowerCase())];
}

/** Names as a whole. A setting such as `live.perHost.connections` is also found without its sections. */
const namesIn = (text: string): string[] =>
  text
    .split('\n')
    .filter(Boolean)
    .flatMap((name) => name.split('.').map((_, index, parts) => parts.slice(index).join('.')));

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** What may have been meant, the likeliest first. The first reading that finds something counts. */
const READINGS: readonly ((words: readonly string[]) => Query)[] = [
  (words) => ({ combineWith: 'AND', queries: [...words] }),
  (words) => ({ combineWith: 'AND', queries: words.map((word) => mistyped(word, word.length < 4 ? 0 : 1)) }),
  (words) => ({ combineWith: 'OR', queries: words.map((word) => mistyped(word, word.length < 7 ? 0 : 2)) }),
];

/** The word with some letters wrong, or with two letters in the wrong order. */
function mistyped(word: string, fuzzy: number): Query {
  const letters = [...word];
  const swapped = letters
    .slice(1)
    .map((letter, index) =>
      [...letters.slice(0, index), letter, letters[index], ...letters.slice(index + 2)].join(''),
    );
  return {
    combineWith: 'OR',
    queries: [
      { queries: [word], fuzzy },
      { queries: swapped, prefix: false },
    ],
  };
}

/** The text as the name of what is defined, or as its beginning. */
const named = (text: string): Query => ({ queries: [text], fields: ['names'], tokenize: (name) => [name] });

function find(words: MiniSearch<Indexed>, text: string): SearchResult[] {
  const terms = wordsOf(text).slice(0, MAX_TERMS);
  for (const reading of READINGS) {
    const byWords: Query = { queries: [reading(terms)], fields: WORDS };
    const results = words.search({ combineWith: 'OR', queries: [named(text), byWords] });
    if (results.length > 0) return results;
  }
  return [];
}

function hitsOf({ words, entries }: Index, query: string): Hit[] {
  const counts = new Map<string, number>();
  const hits: Hit[] = [];
  for (const { id, terms, match } of find(words, query)) {
    const { url, section, title, heading, text, code } = entries[id as number]!;
    const page = url.replace(/#.*$/, '');
    const count = (counts.get(page) ?? 0) + 1;
    counts.set(page, count);
    if (count > MAX_HITS_OF_PAGE) continue;
    const isInText = Object.values(match).some((fields) => fields.includes('text'));
    const isInCode = Object.values(match).some((fields) => fields.includes('code'));
    const source = !isInText && isInCode ? code : text;
    hits.push({
      ...{ url, section, title },
      heading: url.includes('#') ? markTerms(heading, terms) : [],
      snippet: snippetOf(source, terms),
    });
    if (hits.length === MAX_HITS) break;
  }
  return hits;
}

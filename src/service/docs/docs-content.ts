/**
 * The documentation as files, which docs/site/ makes from Markdown and the service reads: an index of the pages, a file
 * for the content of each page, and what the search looks through.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface DocsPage {
  /** From the root of the service, such as `/docs/recipes/captcha/`. */
  readonly url: string;
  readonly title: string;
  /** What a reader finds there, in one sentence. */
  readonly about: string;
  /** The file that the page is made from. @default none: the service makes the page */
  readonly source?: string;
}

export interface DocsSection {
  readonly title: string;
  readonly pages: readonly DocsPage[];
}

export interface DocsIndex {
  /** The URL of the repository, with a slash at the end. */
  readonly repository: string;
  readonly sections: readonly DocsSection[];
  /** Files of the repository that pages link to or show. */
  readonly files: readonly string[];
}

export interface OutlineEntry {
  readonly id: string;
  readonly title: string;
  /** Of the heading: 2 or 3. */
  readonly level: number;
}

/** What stands between the navigation and the end of a page. */
export interface Fragment {
  readonly html: string;
  readonly outline: readonly OutlineEntry[];
}

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

export interface DocsContent {
  readonly folder: string;
  /** Settles when the rest is there, or cannot be made. @default it is there */
  readonly made?: Promise<void> | undefined;
  readonly index: DocsIndex;
  /** @param url of a page that has a source */
  readFragment(url: string): Promise<Fragment>;
  readEntries(): Promise<readonly SearchEntry[]>;
}

export const INDEX = 'index.json';
export const SEARCH_ENTRIES = 'search.json';
export const FRAGMENTS = 'pages';

export const fragmentName = (url: string): string =>
  `${url.replace(/^\/docs\/|\/$/g, '').replaceAll('/', '.')}.json`;

/**
 * @param made settles when the folder holds the documentation. @default it does, or there is none
 * @returns `undefined` if the folder holds no documentation
 */
export function loadDocs(folder: string, made?: Promise<void>): DocsContent | undefined {
  const path = `${folder}/${INDEX}`;
  if (!made && !existsSync(path)) return undefined;
  const read = async (path: string) => JSON.parse(await readFile(`${folder}/${path}`, 'utf8'));
  let index: DocsIndex | undefined;
  return {
    folder,
    made,
    get index() {
      index ??= JSON.parse(readFileSync(path, 'utf8')) as DocsIndex;
      return index;
    },
    readFragment: async (url) => (await read(`${FRAGMENTS}/${fragmentName(url)}`)) as Fragment,
    readEntries: async () => (await read(SEARCH_ENTRIES)) as SearchEntry[],
  };
}

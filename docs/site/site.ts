/** Turns the Markdown files of the manifest into the content of pages, and into what frames them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { SearchEntry } from '../../src/service/docs/docs-search.ts';
import type { SitePart } from '../../src/service/pages/page-urls.ts';
import { type Places, resolveLink } from './links.ts';
import { type MarkdownPage, SECTIONS, type Section } from './manifest.ts';
import { type Document, type OutlineEntry, readMarkdown } from './markdown.ts';

export interface DocsPage {
  /** From the root of the service, such as `/docs/recipes/captcha/`. */
  readonly url: string;
  readonly title: string;
  /** What a reader finds there, in one sentence. */
  readonly about: string;
  /** The file that the page is made from. @default none */
  readonly source?: string;
  /** What stands between the navigation and the end of the page. @default none, if the page has no source */
  readonly html?: string;
  readonly outline?: readonly OutlineEntry[];
  readonly needs?: SitePart;
}

export interface DocsSection {
  readonly title: string;
  readonly pages: readonly DocsPage[];
}

export interface DocsIndex {
  /** The URL of the repository, with a slash at the end. */
  readonly repository: string;
  readonly sections: readonly DocsSection[];
}

export interface DocsSite {
  readonly index: DocsIndex;
  readonly entries: readonly SearchEntry[];
  /** The files that pages link to or show, from the top folder. */
  readonly served: readonly string[];
  /** Why it cannot be served: each begins with a file and its line. */
  readonly faults: readonly string[];
}

/** Reads from the folder that it is called in, the top folder. */
export function makeSite(sections: readonly Section[] = SECTIONS, files = markdownIn('docs')): DocsSite {
  const faults: string[] = [];
  const listed = sections.flatMap(({ pages }) =>
    pages.filter((page): page is MarkdownPage => 'file' in page),
  );
  for (const file of files.filter((file) => !listed.some((page) => page.file === file)))
    faults.push(`${file}:1: not in a section. Add it to docs/site/manifest.ts.`);

  const known = new Map<string, Document>();
  const read = (file: string): Document | undefined => {
    if (!file.endsWith('.md') || !existsSync(file)) return undefined;
    const document = known.get(file) ?? readMarkdown(readFileSync(file, 'utf8'));
    known.set(file, document);
    return document;
  };
  const places: Places = {
    pageOf: (file) => (listed.some((page) => page.file === file) ? pathOf(file) : undefined),
    anchorsOf: (file) => read(file)?.anchors,
    repository: repositoryUrl(),
  };

  const entries: SearchEntry[] = [];
  const served = new Set<string>();
  const makePage = ({ file, title, about }: MarkdownPage, section: string) => {
    const url = urlOf(file);
    const document = read(file);
    if (!document) {
      faults.push(`${file}:1: in docs/site/manifest.ts, but not in its folder.`);
      return { url, title: title ?? file, about, source: file };
    }
    for (const { line, what } of document.faults) faults.push(`${file}:${line}: ${what}.`);
    for (const link of document.links) {
      const target = resolveLink(link.href, file, places);
      if ('fault' in target) {
        faults.push(`${file}:${link.line}: ${target.fault}.`);
        continue;
      }
      link.set(target.url);
      if (target.serves !== undefined) served.add(target.serves);
    }
    for (const { id, heading, ...words } of document.passages) {
      const hash = id === '' ? '' : `#${id}`;
      entries.push({ url: `${url}${hash}`, section, title: title ?? document.title, heading, ...words });
    }
    const { outline } = document;
    return { url, title: title ?? document.title, about, source: file, html: document.htmlOf(), outline };
  };
  const made = sections.map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => ('file' in page ? makePage(page, title) : page)),
  }));
  const index = { repository: places.repository, sections: made };
  return { index, entries, served: [...served].sort(), faults };
}

/** Below `/docs/`. A README is its folder's page. */
const pathOf = (file: string): string =>
  file
    .replace(/^docs\//, '')
    .replace(/(README)?\.md$/, '/')
    .replace(/\/+$/, '/')
    .toLowerCase();

const urlOf = (file: string): string => `/docs/${pathOf(file)}`;

/** What `repository` in package.json is for a browser, with a slash at the end. */
function repositoryUrl(): string {
  const { repository } = JSON.parse(readFileSync('package.json', 'utf8')) as { repository: { url: string } };
  return repository.url.replace(/^git\+/, '').replace(/(\.git)?$/, '/');
}

function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : markdownIn(path);
    return path.endsWith('.md') ? [path] : [];
  });
}

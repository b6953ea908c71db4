/** Writes the documentation for the service to serve. The build calls it. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Html, html } from '../../src/service/pages/html.ts';
import { apiEntries } from './api-entries.ts';
import { apiOutline, apiReference } from './api-page.ts';
import { type Content, docsPage } from './layout.ts';
import { servedAt } from './links.ts';
import { openApi } from './openapi.ts';
import { postmanCollection } from './postman.ts';
import { type DocsSite, makeSite } from './site.ts';
import { startPage } from './start-page.ts';

/** What the pages load, as it is. */
const ASSETS = 'src/service/docs/assets';

const API = '/docs/api/';

/**
 * Writes one documentation for services with a database, and one for those without. In each, `site` is what they serve.
 *
 * @returns why the documentation cannot be served, a line for each fault; empty if all is well
 */
export async function makeDocs(folder: string, site: DocsSite = makeSite()): Promise<readonly string[]> {
  if (site.faults.length > 0) return site.faults;
  await writeDocs(`${folder}/with-database`, site, true);
  await writeDocs(`${folder}/without-database`, site, false);
  return [];
}

async function writeDocs(
  folder: string,
  { index, entries, served }: DocsSite,
  hasDatabase: boolean,
): Promise<void> {
  const { sections } = index;
  const api = await openApi(hasDatabase);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
    writeFileSync(`${folder}/${path}`, text);
  };
  const writePage = (content: Content) =>
    write(`${content.url.replace(/^\/docs/, 'site')}index.html`, docsPage(index, content));

  write('openapi.json', JSON.stringify(api));
  write('postman.json', JSON.stringify(postmanCollection(api)));
  write('search.json', JSON.stringify([...entries, ...apiEntries(api, API)]));
  // For what the service finds for a reader.
  const found = { url: '/docs/search', title: '@@title@@', main: html`@@main@@`, side: 'sections' } as const;
  write('frame.html', docsPage(index, found));
  writePage({ url: '/docs/', title: 'Documentation', main: startPage(sections), side: 'nothing' });
  writePage({
    url: API,
    title: 'API reference',
    main: apiReference(api),
    outline: apiOutline(api),
    head: html`<script type="module" src="@@root@@/docs/assets/api.js"></script>`,
  });
  for (const page of sections.flatMap(({ pages }) => pages)) {
    if (page.html !== undefined) writePage({ ...page, main: madeHtml(page.html) });
  }
  for (const file of served) cpSync(file, `${folder}/site/${servedAt(file)}`);
  cpSync(ASSETS, `${folder}/site/assets`, { recursive: true });
}

/** HTML that is made of a file of this repository. */
const madeHtml = (text: string): Html => new Html(Object.assign([text], { raw: [text] }), []);

/** Writes the documentation for the service to serve. The build calls it. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FRAGMENTS, fragmentName, INDEX, SEARCH_ENTRIES } from '../../src/service/docs/docs-content.ts';
import { servedAt } from './links.ts';
import { type DocsSite, makeSite } from './site.ts';

/** What the pages load, as it is. */
const ASSETS = 'src/service/docs/assets';

/** @returns why the documentation cannot be served, a line for each fault; empty if all is well */
export function makeDocs(folder: string, site: DocsSite = makeSite()): readonly string[] {
  if (site.faults.length > 0) return site.faults;
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
    writeFileSync(`${folder}/${path}`, JSON.stringify(content));
  };
  write(INDEX, site.index);
  write(SEARCH_ENTRIES, site.entries);
  for (const [url, fragment] of site.fragments) write(`${FRAGMENTS}/${fragmentName(url)}`, fragment);
  for (const file of site.served) cpSync(file, `${folder}/${servedAt(file)}`);
  cpSync(ASSETS, `${folder}/assets`, { recursive: true });
  return [];
}

/** The documentation of this checkout, made once for each test file. */
import { makeSite } from '../../../docs/site/site.ts';
import type { DocsContent } from '../../../src/service/docs/docs-content.ts';

const site = makeSite();

export const DOCS: DocsContent = {
  // The service reads only `assets` from this folder.
  folder: 'src/service/docs',
  index: site.index,
  readFragment: async (url) => site.fragments.get(url)!,
  readEntries: async () => site.entries,
};

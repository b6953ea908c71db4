/** The documentation of this checkout, made for the tests of a file. */
import { makeSite } from '../../../docs/site/site.ts';
import type { DocsContent } from '../../../src/service/docs/content.ts';

const site = makeSite();

export const DOCS: DocsContent = {
  // Of what the service reads from it, `assets` is there.
  folder: 'src/service/docs',
  index: site.index,
  readFragment: async (url) => site.fragments.get(url)!,
  readEntries: async () => site.entries,
};

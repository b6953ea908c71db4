/** The documentation of this checkout, made once for each process that runs tests. */
import { makeDocs } from '../../../docs/site/make.ts';
import { makeSite } from '../../../docs/site/site.ts';
import type { DocsBuild } from '../../../src/service/docs/docs-site.ts';

export const SITE = makeSite();

export const DOCS: DocsBuild = { folder: `test-results/docs-${process.env.VITEST_POOL_ID}` };

await makeDocs(DOCS.folder, SITE);

/** The documentation of this checkout, made once for each process that runs tests. */
import { inject } from 'vitest';
import { makeDocs } from '../../../docs/site/make.ts';
import { makeSite } from '../../../docs/site/site.ts';
import type { DocsBuild } from '../../../src/service/docs/docs-site.ts';

export const SITE = makeSite();

export const DOCS: DocsBuild = { folder: `${inject('madeOnce')}/docs-${process.pid}` };

await makeDocs(DOCS.folder, SITE);

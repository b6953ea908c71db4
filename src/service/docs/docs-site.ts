/** The documentation below `/docs/`: its pages, the search, and the files that the pages load and link to. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { DEMO_KEYS } from '../demo/demo-keys.ts';
import { answerWhenMade, type Handler } from '../files/send-file.ts';
import { serveFolder } from '../files/serve-folder.ts';
import { queryParameters } from '../http/parameters.ts';
import { PAGE_HEADERS } from '../http/security-headers.ts';
import { untilMade } from '../pages/being-made.ts';
import { Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import { apiEntries } from './api-entries.ts';
import { apiOutline, apiReference, type Examples } from './api-page.ts';
import type { ClientRequest } from './client-code.ts';
import type { DocsContent, DocsIndex, DocsPage } from './docs-content.ts';
import { ASSETS, type Content, docsPage, type Frame } from './docs-layout.ts';
import { missingPage } from './docs-missing-page.ts';
import { createSearch, type Search } from './docs-search.ts';
import { startPage } from './docs-start-page.ts';
import { answerSources } from './repository-files.ts';
import { searchPage } from './search-page.ts';

export interface DocsOptions {
  readonly content: DocsContent;
  readonly site: Site;
  /** The API in OpenAPI. It is complete when the app is ready. */
  readonly document: () => OpenAPIV3_1.Document;
  /** Whether the demo's keys work, so that the forms of the reference can contain them. */
  readonly isDemo: boolean;
  /** Whether the reference of the module is at `/reference/`. */
  readonly hasReference: boolean;
}

const example = () => ({ email: 'deliverable@example.com' });

function demoExample(path: string) {
  const [inPages, fromPrograms] = DEMO_KEYS;
  // Public keys work at /v1/verify only. Only live keys get explanations, and the demo has none.
  const KEYS: Readonly<Record<string, string>> = { '/v1/verify': inPages!.key, '/v1/verify/explain': '' };
  return { ...example(), api_key: KEYS[path] ?? fromPrograms!.key };
}

/** What the code of each operation sends. */
const SENT: Readonly<Record<string, ClientRequest['fields']>> = {
  verify: example(),
  verifyByPost: example(),
  createBatch: { emails: ['ada@example.org', 'bo@example.org'] },
  batch: { id: 'your_batch_id' },
  account: {},
};

function examplesOf(isDemo: boolean): Examples {
  const key = isDemo ? DEMO_KEYS[1]!.key : 'test_your_key';
  return {
    form: isDemo ? demoExample : example,
    code: (operationId) => SENT[operationId] && { key, fields: SENT[operationId] },
  };
}

const API = '/docs/api/';
const HTML = 'text/html; charset=utf-8';
const HEADERS = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache' };

export function serveDocs(app: FastifyInstance, options: DocsOptions): void {
  const { content, site } = options;
  let opened: Docs | undefined;
  // Not before the first request, because the build may still be making the content.
  const docs = () => {
    opened ??= openDocs(options);
    return opened;
  };
  const send = (reply: FastifyReply, page: Content) =>
    reply.headers(HEADERS).type(HTML).send(docsPage(docs().frame, page));
  app.register(async (scope) => {
    untilMade(scope, site, content.made);
    scope.get('/docs', async (_request, reply) => reply.redirect(site.link('/docs/'), 302));
    scope.get('/docs/search', async (request, reply) => {
      const query = queryParameters(request).get('q')?.[0]?.toString() ?? '';
      const main = searchPage(site, query, await docs().search(query));
      return send(reply, { url: '/docs/search', title: 'Search', main, side: 'sections' });
    });
    scope.get('/docs/*', async (request, reply) => {
      const path = (request.params as { '*': string })['*'];
      const { answers, pages, search } = docs();
      const answer = answers.get(`/docs/${path}`);
      if (answer) return answer(request, reply);
      const page = pageFor(path, pages);
      if (page) return reply.redirect(site.link(page.url), 308);
      const main = await missingPage(site, path, search);
      return send(reply.code(404), {
        url: '/docs/missing',
        title: 'Page not found',
        main,
        side: 'sections',
      });
    });
    serveFolder(scope, ASSETS, `${content.folder}/assets`, PAGE_HEADERS);
    serveFolder(scope, '/docs/pictures', `${content.folder}/pictures`, PAGE_HEADERS);
  });
}

interface Docs {
  readonly frame: Frame;
  readonly pages: readonly DocsPage[];
  readonly search: Search;
  /** What each URL is answered with. */
  readonly answers: ReadonlyMap<string, Handler>;
}

function openDocs(options: DocsOptions): Docs {
  const { content, site, document, isDemo } = options;
  const frame: Frame = { site, index: indexOf(options) };
  const { sections } = frame.index;
  const pages = sections.flatMap((section) => section.pages);
  const search = createSearch(async () => [...(await content.readEntries()), ...apiEntries(document(), API)]);

  const answers = new Map(answerSources(content));
  const addPage = (url: string, make: () => Promise<Omit<Content, 'url'>>) => {
    const made = async () => Buffer.from(docsPage(frame, { url, ...(await make()) }));
    answers.set(url, answerWhenMade(made, HTML, HEADERS));
  };
  addPage('/docs/', async () => ({
    title: 'Documentation',
    main: startPage(site, sections),
    side: 'nothing' as const,
  }));
  addPage(API, async () => ({
    title: 'API reference',
    main: apiReference(document(), site, examplesOf(isDemo)),
    outline: apiOutline(document()),
    head: html`<script type="module" src="${site.link(`${ASSETS}/api.js`)}"></script>`,
  }));
  for (const page of pages.filter(({ source }) => source !== undefined)) {
    addPage(page.url, async () => ({ ...page, ...(await readPage(content, page)) }));
  }
  return { frame, pages, search, answers };
}

async function readPage(content: DocsContent, { url }: DocsPage) {
  const { html: text, outline } = await content.readFragment(url);
  return { main: made(text), outline };
}

/** HTML that the build has made of a file of this repository. */
const made = (text: string): Html => new Html(Object.assign([text], { raw: [text] }), []);

/** A page that was asked for without its slash, or by the name of its file. */
const pageFor = (path: string, pages: readonly DocsPage[]): DocsPage | undefined => {
  const file = path.replace(/\/+$/, '');
  const url = `/docs/${file.replace(/(^|\/)(README)?\.?(md)?$/i, '$1').replace(/\.md$/i, '')}`.replace(
    /\/*$/,
    '/',
  );
  return pages.find((page) => page.url === url.toLowerCase());
};

/** Without the pages that this service lacks. */
function indexOf({ content, site, hasReference }: DocsOptions): DocsIndex {
  const has: Readonly<Record<string, boolean>> = { '/reference/': hasReference, '/debug/': site.has('demo') };
  const sections = content.index.sections.map(({ title, pages }) => ({
    title,
    pages: pages.filter(({ url }) => has[url] ?? true),
  }));
  return { ...content.index, sections };
}

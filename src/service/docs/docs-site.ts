/** The documentation below `/docs/`, which the build has made (docs/site/make.ts), and the search. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { contentTypeOf } from '../files/content-types.ts';
import { answerFromFolder } from '../files/serve-folder.ts';
import { queryParameters } from '../http/parameters.ts';
import { PAGE_HEADERS } from '../http/security-headers.ts';
import { untilMade } from '../pages/being-made.ts';
import type { Html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import { missingPage } from './docs-missing-page.ts';
import { createSearch } from './docs-search.ts';
import { fillPages } from './fill-pages.ts';
import { searchPage } from './search-page.ts';

export interface DocsBuild {
  readonly folder: string;
  /** Settles when the documentation is there, or cannot be made. @default it is there */
  readonly made?: Promise<void> | undefined;
}

export interface DocsOptions {
  readonly docs: DocsBuild;
  readonly site: Site;
  /** As the config has it: without a slash at the end. */
  readonly publicUrl: string | undefined;
  /** Whether the demo's keys work. */
  readonly isDemo: boolean;
}

const HEADERS = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache' };

export function serveDocs(app: FastifyInstance, { docs, site, publicUrl, isDemo }: DocsOptions): void {
  const folder = `${docs.folder}/${site.has('dashboard') ? 'with' : 'without'}-database`;
  const read = (file: string) => readFile(`${folder}/${file}`, 'utf8');
  const fill = fillPages(site, isDemo);
  const search = createSearch(async () => JSON.parse(await read('search.json')));
  const send = async (reply: FastifyReply, title: string, main: Html) =>
    reply
      .headers(HEADERS)
      .type('text/html; charset=utf-8')
      .send(fill.apply(await read('frame.html'), 'search', { title, main }));

  /** A page that was asked for without its slash, or by the name of its file, or none. */
  const sendOther = async (reply: FastifyReply, path: string) => {
    const url = urlOf(path);
    const isPage =
      /^(\/[\w-]+)+\/$/.test(url) && existsSync(`${folder}/site${url.slice('/docs'.length)}index.html`);
    if (isPage) return reply.redirect(site.link(url), 308);
    return send(reply.code(404), 'Page not found', await missingPage(site, path, search));
  };

  app.register(async (scope) => {
    untilMade(scope, site, docs.made);
    scope.get('/docs', async (_request, reply) => reply.redirect(site.link('/docs/'), 302));
    scope.get('/docs/search', async (request, reply) => {
      const query = queryParameters(request).get('q')?.[0]?.toString() ?? '';
      return send(reply, 'Search', searchPage(site, query, await search(query)));
    });
    const sendData = async (reply: FastifyReply, file: string, server: string) =>
      reply
        .headers(HEADERS)
        .type('application/json; charset=utf-8')
        .send((await read(file)).replace('@@server@@', () => server));
    // Without a public URL, the root of the host that serves the document.
    scope.get('/docs/openapi.json', async (_request, reply) =>
      sendData(reply, 'openapi.json', publicUrl ?? '/'),
    );
    scope.get('/docs/postman.json', async ({ protocol, host }, reply) =>
      sendData(reply, 'postman.json', publicUrl ?? `${protocol}://${host}`),
    );
    const options = { finish: fill, typeOf, otherwise: sendOther };
    scope.get('/docs/*', answerFromFolder(`${folder}/site`, PAGE_HEADERS, options));
  });
}

/** Files of the repository that pages link to, such as the configuration of a reverse proxy, are sent as text. */
const typeOf = (path: string) =>
  path.startsWith('files/') ? 'text/plain; charset=utf-8' : contentTypeOf(path);

/** Of the page that a path below `/docs/` means. */
const urlOf = (path: string): string => {
  const file = path.replace(/\/+$/, '');
  const page = file.replace(/(^|\/)(README)?\.?(md)?$/i, '$1').replace(/\.md$/i, '');
  return `/docs/${page}`.replace(/\/*$/, '/').toLowerCase();
};

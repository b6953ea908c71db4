/** The page for a request that cannot be served. */
import type { FastifyReply } from 'fastify';
import type { Failure } from '../failures.ts';
import { setPageHeaders } from './headers.ts';
import { type Html, html } from './html.ts';
import { renderPage } from './layout.ts';
import type { Site } from './site.ts';

/** The title for each status. */
const TITLES: Readonly<Record<number, string>> = {
  403: 'Not accepted',
  429: 'Too many tries',
  500: 'Something went wrong',
  503: 'Not available at the moment',
};

export interface ErrorPage {
  readonly status: number;
  readonly message: string;
  readonly title?: string;
  /** What the person can do now. */
  readonly more?: Html;
}

export function sendErrorPage(reply: FastifyReply, site: Site, page: ErrorPage): FastifyReply {
  const { status, message, more, title = TITLES[status] ?? 'This request cannot be served' } = page;
  const main = html`<h1>${title}</h1>
<p>${message}</p>
${more}`;
  return sendPage(reply.code(status), renderPage(site, { title, main, isNarrow: true }));
}

/** Sends a failure of the service as a page. */
export const failurePage =
  (site: Site) =>
  (reply: FastifyReply, failure: Failure): FastifyReply => {
    // The failure may have come before the scope set the headers.
    setPageHeaders(reply);
    return sendErrorPage(reply.headers(failure.headers), site, failure);
  };

export const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(page);

/** The page for people whose URL leads nowhere. Programs get the failure as JSON. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../core/failures.ts';
import { isApi } from '../http/answer-headers.ts';
import { sendFailure } from '../http/failure-answers.ts';
import { sendErrorPage } from './error-page.ts';
import { html } from './html.ts';
import { homeOf } from './masthead.ts';
import { setPageHeaders } from './page-headers.ts';
import type { Site } from './page-urls.ts';

export const sendFailureOrPage =
  (site: Site) =>
  (reply: FastifyReply, failure: Failure): FastifyReply => {
    if (failure.code !== 'notFound' || !isByPerson(reply.request)) return sendFailure(reply, failure);
    setPageHeaders(reply);
    const more = html`<p><a class="button" href="${site.link(homeOf(site))}">Go to the first page</a></p>`;
    const message = 'There is no page at this URL. Check the URL for typing errors.';
    return sendErrorPage(reply.header('Vary', 'Origin, Accept'), site, {
      ...{ status: failure.status, title: 'Page not found', message, more },
    });
  };

/** Browsers ask for HTML by name when a person opens a URL, and for images and scripts they do not. */
function isByPerson(request: FastifyRequest): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && !isApi(request) && /\btext\/html\b/.test(request.headers.accept ?? '');
}

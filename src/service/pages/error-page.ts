/** The page for a request that cannot be served. */
import type { FastifyReply } from 'fastify';
import type { Failure, FailureCode } from '../core/failures.ts';
import { type Html, html } from './html.ts';
import { setPageHeaders } from './page-headers.ts';
import { type Page, renderPage } from './page-layout.ts';
import type { Site } from './page-urls.ts';

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
  /** How many seconds later the page loads again by itself. @default never */
  readonly loadsAgainAfterS?: number;
}

export function sendErrorPage(reply: FastifyReply, site: Site, page: ErrorPage): FastifyReply {
  const { status, message, more, loadsAgainAfterS: seconds } = page;
  const { title = TITLES[status] ?? 'This request cannot be served' } = page;
  // A form that was sent: its person has to know that it had no effect.
  const isAnswer = reply.request.method === 'POST';
  const main = html`<h1>${title}</h1>
<p${isAnswer && html` tabindex="-1" autofocus`}>${message}</p>
${more}`;
  if (seconds !== undefined) reply.header('Retry-After', seconds);
  const head = seconds === undefined ? undefined : html`<meta http-equiv="refresh" content="${seconds}">`;
  return sendPage(reply.code(status), site, { title, main, head, isNarrow: true });
}

/** The words for people about failures that can happen while a form is served. */
const FOR_PEOPLE: Partial<Record<FailureCode, string>> = {
  databaseAway: 'The service cannot reach its database at the moment.',
  databaseFull: 'The service has no space for new data at the moment. If that lasts, tell the operator.',
  databaseSlow: 'The database took too long.',
  internal: 'Something went wrong on our side.',
};
const LOAD_AGAIN = 'Load the page again in a moment.';
/** A transaction may have been committed before its failure. */
const CHECK_FIRST =
  'It is not certain whether what you sent took effect. Go back, load the page again in a moment, and check before you send it again.';

function messageFor(failure: Failure, method: string): string {
  const message = FOR_PEOPLE[failure.code];
  if (message === undefined) return failure.message;
  return `${message} ${method === 'POST' ? CHECK_FIRST : LOAD_AGAIN}`;
}

/** Sends a failure of the service as a page. */
export const failurePage =
  (site: Site) =>
  (reply: FastifyReply, failure: Failure): FastifyReply => {
    // The failure may have come before the scope set the headers.
    setPageHeaders(reply);
    const { status, headers } = failure;
    const message = messageFor(failure, reply.request.method);
    return sendErrorPage(reply.headers(headers), site, { status, message });
  };

/** Sends a page in the colours that its reader has chosen on another page (`view.js`). */
export function sendPage(reply: FastifyReply, site: Site, page: Page): FastifyReply {
  const text = renderPage(site, page);
  const chosen = /(?:^|; *)scheme=(light|dark)(?:;|$)/.exec(reply.request.headers.cookie ?? '')?.[1];
  const seen = chosen ? text.replace('<html ', `<html data-scheme="${chosen}" `) : text;
  return reply.type('text/html; charset=utf-8').send(seen);
}

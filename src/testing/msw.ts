/**
 * Handlers for Mock Service Worker, version 2. They answer as the sandbox does, in Node (`msw/node`) and in browsers
 * (`msw/browser`).
 *
 * @module email-verify-widget/testing/msw
 */
import { type HttpHandler, HttpResponse, http } from 'msw';
import { JWKS_PATH } from '../protocol/proof.ts';
import type { Answers } from './answers.ts';
import { EXPOSED, JWKS, proofHeader } from './proof.ts';
import type { Reply } from './replies.ts';
import {
  bodyOf,
  createScript,
  DRIP_MS,
  isAnswered,
  isBodiless,
  parametersIn,
  type Script,
} from './script.ts';

export type { Answer, AnswerName, AnswerSequence, Answers, GivenReply } from './answers.ts';
export type { AskedRequest, Script } from './script.ts';

/** Options of `handlers()`. */
export interface HandlersOptions {
  /** Answers by address. @default sample results, as for a test key */
  readonly answers?: Answers | undefined;
  /** The URL of the service, as in the widget's option `baseUrl`. @default '*' (any host) */
  readonly baseUrl?: string | undefined;
}

/**
 * Makes handlers for `/v1/verify`, and for the keys with which a page's own server checks proofs.
 *
 * @returns the handlers. The list also has the members of `Script`, such as `answer()`, `hold()` and `requests`
 *
 * @example
 * const verification = handlers({ answers: { 'a@b.example': 'undeliverable' } });
 * const server = setupServer(...verification);
 *
 * @throws {TypeError} for an invalid answer
 */
export function handlers({ answers, baseUrl = '*' }: HandlersOptions = {}): HttpHandler[] & Script {
  const { script, take } = createScript(answers);
  const base = baseUrl.replace(/\/+$/, '');
  const path = `${base}/v1/verify`;
  /** The URLs of the services that were asked. Only those publish our keys, because other services have keys too. */
  const issuers = new Set([base]);

  const resolver = async ({ request }: { request: Request }): Promise<Response> => {
    const url = new URL(request.url);
    const rawBody = request.method === 'POST' ? await request.text() : '';
    const headers = Object.fromEntries(request.headers);
    const { asked, reply } = take({
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: parametersIn(rawBody, headers['content-type']),
      rawBody,
      headers,
      origin: headers.origin,
    });
    const given = new Promise<'aborted'>((resolve) => {
      const giveUp = () => {
        asked.aborted = !asked.answered;
        resolve('aborted');
      };
      request.signal.addEventListener('abort', giveUp);
      // The request may have been aborted before, or while its body was read.
      if (request.signal.aborted) giveUp();
    });
    const said = await Promise.race([reply, given]);
    if (said === 'aborted') return HttpResponse.error();
    asked.answered = isAnswered(said);
    const issuer = url.origin + url.pathname.replace(/\/v1\/verify$/, '');
    issuers.add(issuer);
    const proof = await proofHeader(said, asked, issuer);
    if (said.ending === 'hang') await given;
    return responseFor({ ...said, headers: { ...proof, ...said.headers } }, asked.email, headers.origin);
  };

  const publish = ({ request }: { request: Request }): Response | undefined => {
    const issuer = request.url.replace(/\/\.well-known\/.*$/s, '');
    if (!issuers.has(issuer)) return undefined;
    const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
    return new HttpResponse(JWKS, { headers });
  };

  const list = [http.get(path, resolver), http.post(path, resolver), http.get(base + JWKS_PATH, publish)];
  const members = Object.getOwnPropertyDescriptors(script);
  return Object.defineProperties(list, members) as unknown as HttpHandler[] & Script;
}

function responseFor(reply: Reply, email: string, origin: string | undefined): Response {
  // A page and its handlers share no connection, so `drop` and `reset` are the same here.
  if (/^(drop|reset|hang)$/.test(reply.ending)) return HttpResponse.error();
  const cors = reply.cors ? { 'access-control-allow-origin': origin ?? '*', vary: 'origin', ...EXPOSED } : {};
  const init = { status: reply.status, headers: { ...reply.headers, ...cors } };
  if (isBodiless(reply.status)) return new HttpResponse(null, init);
  const body = bodyOf(reply, email);
  return new HttpResponse(reply.ending === 'whole' ? body : brokenBody(body, reply.ending), init);
}

/** A body that never ends. */
function brokenBody(body: string, ending: Reply['ending']): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  let drip: ReturnType<typeof setInterval>;
  return new ReadableStream({
    start(stream) {
      if (ending === 'dripping') {
        let sent = 0;
        drip = setInterval(() => {
          if (sent < bytes.length) stream.enqueue(bytes.subarray(sent, ++sent));
        }, DRIP_MS);
        return;
      }
      stream.enqueue(bytes.subarray(0, bytes.length / 2));
      if (ending === 'truncated') stream.error(new TypeError('terminated'));
    },
    cancel: () => clearInterval(drip),
  });
}

/** Whether a form comes from a page of this service or from another site (cross-site request forgery). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import type { Site } from './page-urls.ts';

/** `unknown` for programs other than browsers, and for browsers that do not state it. */
export type Sender = 'own' | 'other' | 'unknown';

/**
 * Browsers state where a request comes from: in `Sec-Fetch-Site` over TLS and on the local machine, and in `Origin`
 * with every form. The pages send no referrer, so browsers send an `Origin` of `null` with their own forms (Fetch,
 * "append a request `Origin` header"). Such an `Origin` counts as missing.
 */
export function senderOf({ headers, host }: FastifyRequest, site: Site): Sender {
  const { origin = 'null', 'sec-fetch-site': relation } = headers;
  const isOwnOrigin = origin === site.origin || isOf(origin, host);
  if (origin !== 'null' && !isOwnOrigin) return 'other';
  // `none`: the person has reloaded the response to a form.
  if (relation !== undefined) return relation === 'same-origin' || relation === 'none' ? 'own' : 'other';
  return isOwnOrigin ? 'own' : 'unknown';
}

/** Refuses forms of other sites before any other work. */
export function refuseOtherSites(app: FastifyInstance, site: Site): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'POST' && senderOf(request, site) === 'other')
      throw new Failure('formOfOtherSite');
    done();
  });
}

/** Whether the origin has this host. A default port may be left out. */
function isOf(origin: string, host: string): boolean {
  if (!/^https?:/.test(origin) || !URL.canParse(origin)) return false;
  const { protocol, host: expected } = new URL(origin);
  const reached = `${protocol}//${host}`;
  return URL.canParse(reached) && new URL(reached).host === expected;
}

/** Leads people who must have a second factor to set one up, before anything else. */
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps/deps.ts';
import { sendErrorPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { lacksFactor } from './factor-store.ts';
import { obligedBy } from './obliged.ts';

/** Where they set it up, and what they may still do. */
const ALLOWED = /^\/(dashboard\/security|login|logout)(\/|$)/;

/** Call it after browsers are recognised. */
export function requireFactors(
  app: FastifyInstance,
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  site: Site,
): void {
  const who = obligedBy(settings);
  if (!who) return;
  app.addHook('onRequest', async (request, reply) => {
    const { signedIn } = request.browser;
    if (!signedIn || ALLOWED.test(request.routeOptions.url ?? '')) return;
    if (!(await lacksFactor(db, signedIn.personId, who))) return;
    if (request.method !== 'POST') return reply.redirect(site.link('/dashboard/security'), 303);
    return sendErrorPage(reply, site, {
      status: 403,
      title: 'Your change was not made',
      message: 'You need a second factor before anything else.',
      more: html`<p><a class="button" href="${site.link('/dashboard/security')}">Set up a second factor</a></p>`,
    });
  });
}

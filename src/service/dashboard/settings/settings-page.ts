/** `/dashboard/settings`: the callback secret, the notice URL, retention, the data about an address, and the deletion. */
import type { FastifyReply } from 'fastify';
import { Failure } from '../../core/failures.ts';
import { queryParameters } from '../../http/parameters.ts';
import { readNotice } from '../../notices/notice-store.ts';
import { html } from '../../pages/html.ts';
import { outcome } from '../../pages/page-layout.ts';
import {
  findAccountById,
  findCallbackSecrets,
  findFormerSecretEnd,
} from '../../people/accounts/account-store.ts';
import { isRecent } from '../guarded-form.ts';
import { PATH as SECURITY } from '../security/security-section.ts';
import { addPage, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import { ADDRESS_PATH, addressPages } from './address-page.ts';
import { callbacksActions, callbacksSection } from './callback-secret-section.ts';
import { deletionAction, deletionSection } from './deletion-section.ts';
import { noticesActions, noticesSection } from './notices-section.ts';
import { keptFor, retentionAction, retentionSection } from './retention-section.ts';
import { PATH, type Said } from './settings-section.ts';

/** Sends the page with the fault of one of its forms. */
export type SendSettings = (visit: Visit, said: Said) => Promise<FastifyReply>;

const DONE: Readonly<Record<string, string>> = {
  secret: 'You have a new callback secret. For 24 hours, the old one also signs callbacks.',
  'secret-shown': 'The callback secret is shown below.',
  'former-secret': 'The old callback secret no longer signs callbacks.',
  notices: 'The notice URL was saved.',
  'notices-as-before': 'The notice URL is the same as before.',
  'notices-removed': 'The notice URL was removed.',
  retention: 'Saved.',
  'retention-as-before': 'The retention time is the same as before.',
};

/** The forms of the person that were here before, with their present places. Pages that are still open send them. */
const MOVED = ['password', 'sessions/end', 'sessions/end-others'];

export function settingsPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db, settings } = deps;

  const send: SendSettings = async (visit, said) => {
    const { accountId, site, may } = visit;
    const account = await findAccountById(db, accountId);
    if (!account) throw new Failure('notFound', 'This account was deleted a moment ago.');
    const [secret] = may('manageKeys') ? await findCallbackSecrets(db, accountId) : [];
    const formerUntil = await findFormerSecretEnd(db, accountId);
    const message = said.done === undefined ? undefined : DONE[said.done];
    const now = said.done?.startsWith('retention')
      ? ` Results are kept ${keptFor(account.keep_results_seconds, settings.durations)}.`
      : '';
    return visit.send({
      title: said.fault ? 'Not changed' : 'Settings',
      main: html`<h1>Settings</h1>
<p>The password, second factors and sessions are <a href="${site.link(SECURITY)}">under Security</a>.</p>
${message !== undefined && outcome(`${message}${now}`)}
${
  may('manageKeys') &&
  callbacksSection(visit, secret, formerUntil, {
    isAllowed: isRecent(deps, visit),
    isOpen: said.done === 'secret-shown',
  })
}
${may('manageBatches') && noticesSection(visit, deps, await readNotice(db, accountId), said)}
${may('manageBatches') && retentionSection(visit, account.keep_results_seconds, settings.durations, said)}
${
  may('download') &&
  html`<section class="box" aria-labelledby="about-address">
<h2 id="about-address">Data about an address</h2>
<p>People may ask which data you have about them, or ask you to delete it. Look up their address, export the data, and erase it.</p>
<p><a class="button" href="${site.link(ADDRESS_PATH)}">Look up an address</a></p>
</section>`
}
${may('deleteAccount') && deletionSection(visit, said)}`,
    });
  };

  addPage(scope, PATH, { right: 'see' }, async (visit) => {
    const [done] = queryParameters(visit.request).get('done') ?? [];
    const isKnown = typeof done === 'string' && Object.hasOwn(DONE, done);
    return send(visit, { done: isKnown ? done : undefined });
  });
  for (const form of MOVED)
    scope.app.post(`${PATH}/${form}`, async (_request, reply) =>
      reply.redirect(scope.site.link(`${SECURITY}/${form}`), 308),
    );
  callbacksActions(scope, deps);
  noticesActions(scope, deps, send);
  retentionAction(scope, deps, send);
  deletionAction(scope, deps, send);
  addressPages(scope, deps);
}

/** The recovery codes on the page of security. */
import { counted } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { makeOwnCodes } from '../../people/factors/change-factors.ts';
import { hasSecondFactor } from '../../people/factors/factor-store.ts';
import { CODES_AT_ONCE, FEW_CODES } from '../../people/factors/recovery-codes.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { guardedActions } from '../guarded-form.ts';
import type { DashboardDeps, DashboardScope, PersonVisit } from '../visit.ts';
import { sendCodes } from './codes-page.ts';
import { done, PATH, type Stored } from './security-section.ts';

const MAKE = `${PATH}/recovery-codes`;

export function codesSection({ request, site }: PersonVisit, { factors }: Stored): Html {
  const { codes } = factors;
  const left = `${counted(codes, 'code is', 'codes are')} left.`;
  return html`<section class="box" aria-labelledby="codes">
<h2 id="codes">Recovery codes</h2>
<p>If you have lost your app or your passkey, a recovery code stands in for it, once.</p>
${
  hasSecondFactor(factors)
    ? html`${codes <= FEW_CODES ? html`<p class="warning">${left} Make new ones now.</p>` : html`<p>${left}</p>`}
<form method="post" action="${site.link(MAKE)}">${formToken(request)}
<p class="note" id="new-codes">You get ${CODES_AT_ONCE} new codes. The old ones end.</p>
<p><button aria-describedby="new-codes">Make new recovery codes</button></p></form>`
    : html`<p class="note">You get them with your first app or passkey.</p>`
}
</section>`;
}

export function codesActions(scope: DashboardScope, deps: DashboardDeps): void {
  const add = guardedActions(scope, deps, { right: 'own', back: PATH });

  add(MAKE, 'make new recovery codes', async (visit) => {
    const codes = await makeOwnCodes(deps, visit.person);
    return codes ? sendCodes(visit, codes, 'You have new recovery codes.') : done(visit, 'no-factor');
  });
}

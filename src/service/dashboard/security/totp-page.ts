/** `/dashboard/security/totp`: sets up an authenticator app. */
import type { FastifyReply } from 'fastify';
import { html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import { beginSetUp } from '../../people/factors/authenticator-app-store.ts';
import { confirmApp } from '../../people/factors/change-factors.ts';
import { qrCode } from '../../people/factors/qr-code.ts';
import { appUri } from '../../people/factors/totp.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { addGuardedForm } from '../guarded-form.ts';
import type { DashboardDeps, DashboardScope, PersonVisit } from '../visit.ts';
import { SET_UP } from './app-section.ts';
import { sendCodes } from './codes-page.ts';
import { done, PATH } from './security-section.ts';

const FAULTS = {
  wrong:
    'The code is wrong. Wait for the next one, and type that. If it is wrong, too, check the clock of the phone.',
  over: 'The set-up has taken too long. Add the new key below to your app.',
};

export function totpPage(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;

  const show = async (visit: PersonVisit, fault?: string): Promise<FastifyReply> => {
    const { request, site, person, send } = visit;
    const { secret } = await beginSetUp(db, person.id);
    const uri = appUri(secret, person.email);
    return send({
      title: fault === undefined ? 'Authenticator app' : 'Not set up',
      main: html`<p class="back"><a href="${site.link(PATH)}">Security</a></p>
<h1>Authenticator app</h1>
${problem(fault)}
<form class="box" method="post" action="${site.link(SET_UP)}">
${formToken(request)}
<p>Scan this code with an authenticator app, such as the one of your password manager.</p>
${await qrCode(uri, 'QR code with the key')}
<p>If you cannot scan it, type this key into the app. On a phone, <a href="${uri}">open the app</a>.</p>
<p><code class="code" id="totp-secret">${secret}</code></p>
<p><button type="button" class="small" data-copy="totp-secret" hidden>Copy the key</button></p>
<p class="field"><label for="code">Code that the app shows</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus${fault !== undefined && html` aria-invalid="true" aria-describedby="problem"`}></p>
<p><button class="primary">Confirm</button></p>
</form>`,
    });
  };

  addGuardedForm(scope, deps, {
    ...{ path: SET_UP, purpose: 'set up an authenticator app', right: 'own' },
    show: (visit) => show(visit),
    async act(visit, fields) {
      const confirmed = await confirmApp(deps, visit.person, fields.get('code') ?? '');
      if (confirmed.kind !== 'added') {
        visit.reply.code(422);
        return show(visit, FAULTS[confirmed.kind]);
      }
      if (confirmed.codes) return sendCodes(visit, confirmed.codes, 'The authenticator app is set up.');
      return done(visit, 'app');
    },
  });
}

/** Changes the password, or sets the first one. */
import type { FastifyReply } from 'fastify';
import { clientIp } from '../../http/client-ip.ts';
import { type Html, html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import { factorsOf, hasSecondFactor } from '../../people/factors/factor-store.ts';
import { PASSWORD_FAULTS, PASSWORD_RULES } from '../../people/passwords/password-rules.ts';
import { giveCookie, readOwnCookie, setOwnCookie } from '../../people/sessions/browser.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { type ChangeFault, changePassword } from '../../people/sign-in/change-password.ts';
import { KNOWN_BROWSER } from '../../people/sign-in/known-browser.ts';
import { refusalOf } from '../../people/sign-in/sign-in-refusal.ts';
import type { Fields } from '../form-fields.ts';
import { guard } from '../guarded-form.ts';
import { addAction, type DashboardDeps, type DashboardScope, type PersonVisit } from '../visit.ts';
import { done, PATH, type Said, type SendSecurity, type Stored } from './security-section.ts';

/** Where people revoke keys and apps made since a day. */
export const SINCE = `${PATH}/since`;
const ACTION = `${PATH}/password`;

const FAULTS: Readonly<Record<ChangeFault, string>> = {
  ...PASSWORD_FAULTS,
  same: 'The new password must differ from the current one.',
};

/** @returns the name of the provider if a person without a password gets none, because the provider decides who signs in */
const providerInstead = ({ site: { provider }, person }: PersonVisit): string | undefined =>
  provider?.only || provider?.vouchesFor(person.email) ? provider.name : undefined;

export function passwordSection(visit: PersonVisit, { factors: { hasPassword } }: Stored, said: Said): Html {
  const { request, site } = visit;
  const provider = hasPassword ? undefined : providerInstead(visit);
  const fault = said.fault?.section === 'password' ? said.fault.text : undefined;
  const wrong = (field: string) => said.fault?.field === field && html` aria-invalid="true" autofocus`;
  const described = html` aria-describedby="${fault === undefined ? '' : 'problem '}password-rule"`;
  return html`<section class="box" aria-labelledby="password">
<h2 id="password">Password</h2>
${problem(fault)}
${
  provider === undefined
    ? html`${!hasPassword && html`<p>You have no password. With one, you can sign in by it, too.</p>`}
<form class="fields" method="post" action="${site.link(ACTION)}">
${formToken(request)}
${
  hasPassword &&
  html`<p class="field"><label for="current-password">Current password</label>
<input id="current-password" name="current" type="password" autocomplete="current-password" required${wrong('current')}${fault !== undefined && html` aria-describedby="problem"`}></p>`
}
<p class="field"><label for="new-password">New password</label>
<input id="new-password" name="new" type="password" autocomplete="new-password" required${wrong('new')}${described}></p>
<p class="note" id="password-rule">${PASSWORD_RULES} All other sessions end. Your keys and apps keep working.</p>
<p class="row"><button class="primary">${hasPassword ? 'Change password' : 'Set password'}</button><button type="button" data-reveal="new-password" hidden>Show the new password</button></p>
</form>`
    : html`<p>You have no password, because you sign in with ${provider}.</p>`
}
<details class="danger"><summary>Revoke keys and apps…</summary>
<p>If somebody else knew your password, they may have made keys and apps, which go on working with a new password. Choose the day since which that can have been. You see what it is before you revoke it.</p>
<form class="fields" method="get" action="${site.link(SINCE)}">
<p class="field"><label for="since-day">Since (UTC)</label>
<input id="since-day" name="day" type="date" required></p>
<p><button>Show keys and apps</button></p>
</form></details></section>`;
}

export function passwordAction(scope: DashboardScope, deps: DashboardDeps, send: SendSecurity): void {
  const change = async (visit: PersonVisit, fields: Fields, hasPassword: boolean): Promise<FastifyReply> => {
    const { request, reply, person, site } = visit;
    const result = await changePassword(deps, {
      email: person.email,
      password: hasPassword ? (fields.get('current') ?? '') : undefined,
      newPassword: fields.get('new') ?? '',
      ip: clientIp(request),
      cookie: request.browser.value,
      browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
      userAgent: request.headers['user-agent'],
    });
    if (result.kind === 'changed') {
      giveCookie(reply, site, result.cookie);
      setOwnCookie(reply, site, { ...KNOWN_BROWSER, value: result.browserToken });
      return done(visit, 'password');
    }
    if (result.kind === 'unfit') {
      reply.code(422);
      const text = `${FAULTS[result.fault]} The password was not changed.`;
      return send(visit, { fault: { section: 'password', text, field: 'new' } });
    }
    const refused = refusalOf(result, 'The current password is wrong.');
    reply.code(refused.status).headers(refused.headers);
    const text = `${refused.fault} The password was not changed.`;
    return send(visit, { fault: { section: 'password', text, field: 'current' } });
  };

  addAction(scope, ACTION, { right: 'own', back: PATH }, async (visit, fields) => {
    const factors = await factorsOf(deps.db, visit.person.id);
    const { hasPassword } = factors;
    const provider = hasPassword ? undefined : providerInstead(visit);
    if (provider !== undefined) {
      visit.reply.code(403);
      const text = `You sign in with ${provider}. The password was not set.`;
      return send(visit, { fault: { section: 'password', text } });
    }
    // Without a second factor, the current password in the form is the confirmation.
    if (hasPassword && !hasSecondFactor(factors)) return change(visit, fields, true);
    return guard(deps, visit, fields, {
      ...{ purpose: hasPassword ? 'change your password' : 'set a password', secret: ['current', 'new'] },
      act: (sent) => change(visit, sent, hasPassword),
      resume: () => visit.goTo(`${PATH}#password`),
    });
  });
}

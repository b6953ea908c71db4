/** Changes the password. */
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
import { guard } from '../guarded-form.ts';
import { addAction, type DashboardDeps, type DashboardScope, type PersonVisit } from '../visit.ts';
import { done, PATH, type Said, type SendSecurity } from './security-section.ts';

/** Where people revoke keys and apps made since a day. */
export const SINCE = `${PATH}/since`;
const ACTION = `${PATH}/password`;

const FAULTS: Readonly<Record<ChangeFault, string>> = {
  ...PASSWORD_FAULTS,
  same: 'The new password must differ from the current one.',
};

export function passwordSection({ request, site }: PersonVisit, said: Said): Html {
  const fault = said.fault?.section === 'password' ? said.fault.text : undefined;
  const wrong = (field: string) => said.fault?.field === field && html` aria-invalid="true" autofocus`;
  const described = html` aria-describedby="${fault === undefined ? '' : 'problem '}password-rule"`;
  return html`<section class="box" aria-labelledby="password">
<h2 id="password">Password</h2>
${problem(fault)}
<form class="fields" method="post" action="${site.link(ACTION)}">
${formToken(request)}
<p class="field"><label for="current-password">Current password</label>
<input id="current-password" name="current" type="password" autocomplete="current-password" required${wrong('current')}${fault !== undefined && html` aria-describedby="problem"`}></p>
<p class="field"><label for="new-password">New password</label>
<input id="new-password" name="new" type="password" autocomplete="new-password" required${wrong('new')}${described}></p>
<p class="note" id="password-rule">${PASSWORD_RULES} All other sessions end. Your keys and apps keep working.</p>
<p class="row"><button class="primary">Change password</button><button type="button" data-reveal="new-password" hidden>Show the new password</button></p>
</form>
<details class="danger"><summary>Revoke keys and apps…</summary>
<p>If somebody else knew your password, they may have made keys and apps, which go on working with a new password. Choose the day since which that can have been. You see what it is before you revoke it.</p>
<form class="fields" method="get" action="${site.link(SINCE)}">
<p class="field"><label for="since-day">Since</label>
<input id="since-day" name="day" type="date" required></p>
<p><button>Show keys and apps</button></p>
</form></details></section>`;
}

export function passwordAction(scope: DashboardScope, deps: DashboardDeps, send: SendSecurity): void {
  const change = async (visit: PersonVisit, fields: ReadonlyMap<string, string>): Promise<FastifyReply> => {
    const { request, reply, person, site } = visit;
    const result = await changePassword(deps, {
      email: person.email,
      password: fields.get('current') ?? '',
      newPassword: fields.get('new') ?? '',
      ip: clientIp(request),
      cookie: request.browser.value,
      browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
      userAgent: request.headers['user-agent'],
    });
    if (result.kind === 'changed') {
      giveCookie(request, reply, site, result.cookie);
      setOwnCookie(request, reply, site, { ...KNOWN_BROWSER, value: result.browserToken });
      return done(visit, 'password');
    }
    if (result.kind === 'unfit') {
      reply.code(422);
      return send(visit, {
        fault: {
          section: 'password',
          text: `${FAULTS[result.fault]} The password was not changed.`,
          field: 'new',
        },
      });
    }
    const refused = refusalOf(result, 'The current password is wrong.');
    reply.code(refused.status).headers(refused.headers);
    const text = `${refused.fault} The password was not changed.`;
    return send(visit, { fault: { section: 'password', text, field: 'current' } });
  };

  addAction(scope, ACTION, { right: 'own', back: PATH }, async (visit, fields) => {
    // Without a second factor, the current password in the form is the confirmation.
    if (!hasSecondFactor(await factorsOf(deps.db, visit.person.id))) return change(visit, fields);
    return guard(deps, visit, fields, {
      ...{ purpose: 'change your password', secret: ['current', 'new'] },
      act: (sent) => change(visit, sent),
      resume: () => visit.goTo(`${PATH}#password`),
    });
  });
}

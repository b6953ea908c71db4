/** Changes the password. */
import type { FastifyReply } from 'fastify';
import { clientIp } from '../../http/client-ip.ts';
import { type Html, html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import { factorsOf, hasSecondFactor } from '../../people/factors/factor-store.ts';
import { giveCookie, readOwnCookie, setOwnCookie } from '../../people/sessions/browser.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { changePassword, NEW_PASSWORD, type PasswordFault } from '../../people/sign-in/change-password.ts';
import { KNOWN_BROWSER } from '../../people/sign-in/known-browser.ts';
import { refusalOf } from '../../people/sign-in/sign-in-refusal.ts';
import { guard } from '../guarded-form.ts';
import type { DashboardDeps } from '../visit.ts';
import { addAction, type DashboardScope, type Visit } from '../visit.ts';
import type { SendSettings } from './settings-page.ts';
import { done, faultOf, PATH, type Said } from './settings-section.ts';

const ACTION = `${PATH}/password`;

const FAULTS: Readonly<Record<PasswordFault, string>> = {
  short: `Expected a new password of at least ${NEW_PASSWORD.minimum} characters. The password was not changed.`,
  long: `Expected a new password of at most ${NEW_PASSWORD.maximum} characters. The password was not changed.`,
  email: 'The new password must not be your email address. The password was not changed.',
  same: 'The new password must differ from the current one. The password was not changed.',
};

export function passwordSection({ request, site }: Visit, said: Said): Html {
  const fault = faultOf(said, 'password');
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
<p class="note" id="password-rule">At least ${NEW_PASSWORD.minimum} characters. A sentence is easy to remember. All other sessions end. Your keys and apps keep working.</p>
<p class="row"><button class="primary">Change password</button><button type="button" data-reveal="new-password" hidden>Show the new password</button></p>
</form></section>`;
}

export function passwordAction(scope: DashboardScope, deps: DashboardDeps, send: SendSettings): void {
  const change = async (visit: Visit, fields: ReadonlyMap<string, string>): Promise<FastifyReply> => {
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
      return send(visit, { fault: { section: 'password', text: FAULTS[result.fault], field: 'new' } });
    }
    const refused = refusalOf(result, 'The current password is wrong.');
    reply.code(refused.status).headers(refused.headers);
    const text = `${refused.fault} The password was not changed.`;
    return send(visit, { fault: { section: 'password', text, field: 'current' } });
  };

  addAction(scope, ACTION, { right: 'see', back: PATH }, async (visit, fields) => {
    // Without a second factor, the current password in the form is the confirmation.
    if (!hasSecondFactor(await factorsOf(deps.db, visit.person.id))) return change(visit, fields);
    return guard(deps, visit, fields, {
      ...{ purpose: 'change your password', secret: ['current', 'new'] },
      act: (sent) => change(visit, sent),
      resume: () => visit.goTo(`${PATH}#password`),
    });
  });
}

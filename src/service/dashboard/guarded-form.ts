/** Forms and actions for which people type their password again, unless they have done so a short while ago. */
import type { FastifyReply } from 'fastify';
import type { Deps } from '../deps/deps.ts';
import { clientIp } from '../http/client-ip.ts';
import { html } from '../pages/html.ts';
import { hidden, problem } from '../pages/page-layout.ts';
import type { Right } from '../people/members/roles.ts';
import { readOwnCookie } from '../people/sessions/browser.ts';
import { formToken } from '../people/sessions/page-forms.ts';
import { confirmPassword } from '../people/sign-in/confirm-password.ts';
import { KNOWN_BROWSER } from '../people/sign-in/known-browser.ts';
import { refusalOf } from '../people/sign-in/sign-in-refusal.ts';
import type { DashboardDeps } from './visit.ts';
import { addAction, addPage, type DashboardScope, type PersonVisit, pathOf, type Visit } from './visit.ts';

type Fields = ReadonlyMap<string, string>;

export interface GuardedForm {
  readonly path: string;
  readonly right: Right;
  /** Such as "create a key". */
  readonly purpose: string;
  /** Shows the form. @param typed what the person has typed before */
  show(visit: Visit, typed: Fields): Promise<FastifyReply>;
  /** Carries the form out. It shows the result, or the form with a fault. */
  act(visit: Visit, fields: Fields): Promise<FastifyReply>;
}

/** What a person may do only shortly after typing the password. */
interface Guarded {
  /** Such as "roll this key". */
  readonly purpose: string;
  act(fields: Fields): Promise<FastifyReply>;
  /** What follows the password. @default `act` */
  resume?(typed: Fields): FastifyReply | Promise<FastifyReply>;
}

const PASSWORD = 'confirm_password';

/** Whether the person has typed the password a short while ago. */
export const isRecent = ({ settings }: Pick<Deps, 'settings'>, { request }: PersonVisit): boolean =>
  request.browser.signedIn!.secondsSinceConfirmed < settings.durations.reauthenticate;

/**
 * Adds the form and its action. A form that is sent without a recent password is refused. After the password, it is
 * there again, filled in.
 */
export function addGuardedForm(scope: DashboardScope, deps: DashboardDeps, form: GuardedForm): void {
  const { path, right, purpose, show, act } = form;

  addPage(scope, path, { right }, async (visit) =>
    isRecent(deps, visit) ? show(visit, new Map()) : askPassword(visit, purpose, new Map()),
  );

  addAction(scope, path, { right, back: path }, (visit, fields) =>
    guard(deps, visit, fields, {
      purpose,
      act: (sent) => act(visit, sent),
      resume: (typed) => (typed.size > 0 ? show(visit, typed) : visit.goTo(path)),
    }),
  );
}

/** Answers a form that was sent: carries it out, or asks for the password, or takes the password. */
export async function guard(
  deps: DashboardDeps,
  visit: PersonVisit,
  fields: Fields,
  { purpose, act, resume = act }: Guarded,
): Promise<FastifyReply> {
  const { request, reply, person, site } = visit;
  const password = fields.get(PASSWORD);
  if (password === undefined) {
    if (isRecent(deps, visit)) return act(fields);
    reply.code(403);
    return askPassword(visit, purpose, fields);
  }
  const typed = new Map([...fields].filter(([field]) => field !== PASSWORD));
  const result = await confirmPassword(deps, {
    ...{ email: person.email, password, ip: clientIp(request), cookie: request.browser.value },
    browserToken: readOwnCookie(request, site, KNOWN_BROWSER.name),
  });
  if (result.kind === 'confirmed') return resume(typed);
  const { status, fault, headers } = refusalOf(result, 'The password is wrong.');
  reply.code(status).headers(headers);
  return askPassword(visit, purpose, typed, fault);
}

function askPassword(
  { request, site, person, send }: PersonVisit,
  purpose: string,
  typed: Fields,
  fault?: string,
): Promise<FastifyReply> {
  const kept = typed.size > 0 && html` What you have typed is kept.`;
  return send({
    title: 'Confirm your password',
    main: html`<h1>Confirm your password</h1>
${problem(fault)}
<p>You typed your password some time ago. To ${purpose}, type it again.${kept}</p>
<form class="box" method="post" action="${site.link(pathOf(request))}">
${formToken(request)}
${hidden(typed)}
<input value="${person.email}" autocomplete="username" hidden>
<p class="field"><label for="password">Password</label>
<input id="password" name="${PASSWORD}" type="password" autocomplete="current-password" required autofocus${fault !== undefined && html` aria-describedby="problem" aria-invalid="true"`}></p>
<p><button class="primary">Continue</button></p>
</form>`,
  });
}

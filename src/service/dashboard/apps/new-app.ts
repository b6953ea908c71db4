/** `/dashboard/apps/new`: creates an app. */
import { randomBytes } from 'node:crypto';
import { findApp } from '../../oauth/apps/app-store.ts';
import { makeApp } from '../../oauth/apps/manage/manage-apps.ts';
import { countApps } from '../../oauth/apps/manage/manage-apps-store.ts';
import { html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { isQuestionToken, questionTokenOf } from '../../people/sessions/cookie-value.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { type Fault, type Fields, radioField } from '../form-fields.ts';
import { addGuardedForm } from '../guarded-form.ts';
import { actorOf, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import { appFields } from './app-form.ts';
import { APPS } from './app-list.ts';
import { readSettings } from './read-app-form.ts';
import { revealApp } from './reveal-app.ts';

const PATH = `${APPS}/new`;
/** The field that proves that this page has made the client id. Otherwise anybody could take ids that an operator imports. */
const TOKEN = 'question_token';
/** Stops accidents, such as a program that submits the form in a loop. */
const MOST_APPS = 100;

const makeId = (): string => randomBytes(16).toString('hex');
const shownOf = (clientId: string) => ['new app', clientId];

export function newAppPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db, publicUrl } = deps;
  const show = async (visit: Visit, typed: Fields) =>
    sendForm(visit, { typed, clientId: idIn(visit, typed) });
  const act = async (visit: Visit, fields: Fields) => {
    const { accountId, goTo } = visit;
    const clientId = idIn(visit, fields);
    if (clientId === undefined) return sendForm(visit, { typed: fields, fault: NO_ID });
    const again = (fault: Fault) => sendForm(visit, { typed: fields, fault, clientId });
    const kind = fields.get('kind');
    if (kind !== 'confidential' && kind !== 'public') return again(NO_KIND);
    const settings = readSettings(fields);
    if ('message' in settings) return again(settings);
    if ((await countApps(db, accountId)) >= MOST_APPS) return again(TOO_MANY);
    const wish = { ...settings, accountId, clientId, isPublic: kind === 'public' };
    const made = await makeApp(db, actorOf(visit), wish);
    if (made === 'exists') {
      // The page does not reveal the apps of other accounts.
      if ((await findApp(db, clientId))?.account_id !== accountId)
        return sendForm(visit, { typed: fields, fault: NO_ID });
      // Usually a reload of the page that showed the secret.
      return goTo(`${APPS}/${clientId}?done=exists`);
    }
    const { name } = settings;
    const { clientSecret: secret } = made;
    const lead = secret === undefined ? CREATED : `${CREATED} Copy its secret now: it is not shown again.`;
    return revealApp(visit, { title: 'App created', lead, name, clientId, secret, url: publicUrl.now() });
  };
  addGuardedForm(scope, deps, { path: PATH, right: 'manageKeys', purpose: 'create an app', show, act });
}

/** The id of a form that this browser was shown. */
function idIn({ request }: Visit, fields: Fields): string | undefined {
  const id = fields.get('client_id') ?? '';
  return isQuestionToken(fields.get(TOKEN), request.browser.value, shownOf(id)) ? id : undefined;
}

const CREATED = 'The app was created.';
const NO_ID: Fault = { field: 'client_id', message: 'The form was incomplete. Send it again.' };
const NO_KIND: Fault = { field: 'kind', message: 'Choose where the app runs.' };
const TOO_MANY: Fault = {
  field: 'client_id',
  message: `An account can have at most ${MOST_APPS} apps. Delete apps that you do not need.`,
};

interface Form {
  readonly typed: Fields;
  readonly fault?: Fault;
  /** @default a new id. A form that is sent twice creates one app. */
  readonly clientId?: string | undefined;
}

function sendForm({ request, reply, site, send }: Visit, { typed, fault, clientId = makeId() }: Form) {
  if (fault) reply.code(422);
  return send({
    title: 'Create an app',
    main: html`<p class="back"><a href="${site.link(APPS)}">Apps</a></p>
<h1>Create an app</h1>
${problem(fault && `${fault.message} No app was created.`)}
<form class="box settings" method="post" action="${site.link(PATH)}">
${formToken(request)}
${hidden([['client_id', clientId]])}${hidden([[TOKEN, questionTokenOf(request.browser.value, shownOf(clientId))]])}
${appFields(typed, fault)}
${radioField({
  ...{ legend: 'Where does it run?', name: 'kind', value: typed.get('kind') ?? 'confidential', fault },
  choices: [
    ['confidential', html`<strong>On a server</strong>. It gets a client secret.`],
    [
      'public',
      html`<strong>Where its users could read a secret</strong>, such as in a page or on a phone. It gets no secret, and must use PKCE with S256.`,
    ],
  ],
})}
<p><button class="primary">Create app</button></p>
</form>`,
  });
}

/** `/dashboard/keys/new`: creates a key. */
import type { Deps } from '../../deps/deps.ts';
import { KEY_ID, makeKeyId } from '../../keys/key-store.ts';
import { makeKey } from '../../keys/manage/manage-keys.ts';
import { countKeys, findOwnKey } from '../../keys/manage/manage-keys-store.ts';
import { html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import type { Fault, Fields } from '../form-fields.ts';
import { addGuardedForm } from '../guarded-form.ts';
import { actorOf, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import { choiceFields, nameField, restrictionFields } from './key-form.ts';
import { KEYS } from './key-list.ts';
import { readSettings } from './read-key-form.ts';
import { revealKey } from './reveal-key.ts';

const PATH = `${KEYS}/new`;
/** Stops accidents, such as a program that submits the form in a loop. */
const MOST_KEYS = 200;

export function newKeyPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;
  const show = async (visit: Visit, typed: Fields) => sendForm(visit, deps, { typed, id: idIn(typed) });
  const act = async (visit: Visit, fields: Fields) => {
    const { accountId, goTo } = visit;
    const id = fields.get('id') ?? '';
    if (!KEY_ID.test(id)) return sendForm(visit, deps, { typed: fields, fault: NO_ID });
    const wish = readWish(fields, deps);
    if ('message' in wish) return sendForm(visit, deps, { typed: fields, fault: wish, id });
    const { settings, kind, mode } = wish;
    if (mode === 'live' && !visit.may('manageKeys')) return visit.forbidden('manageKeys');
    if ((await countKeys(db, accountId)) >= MOST_KEYS)
      return sendForm(visit, deps, { typed: fields, fault: TOO_MANY, id });
    const row = { ...settings, id, account_id: accountId, kind, mode, made_by: visit.person.id };
    const made = await makeKey(db, actorOf(visit), row);
    if (made === 'exists') {
      // The page does not reveal the keys of other accounts.
      if (!(await findOwnKey(db, accountId, id)))
        return sendForm(visit, deps, { typed: fields, fault: NO_ID });
      // Usually a reload of the page that showed the value.
      return goTo(`${KEYS}/${id}?done=exists`);
    }
    const lead = 'The key was created. Copy it now: it is not shown again.';
    return revealKey(visit, scope, deps, { key: made, title: 'Key created', lead });
  };
  addGuardedForm(scope, deps, { path: PATH, right: 'makeTestKeys', purpose: 'create a key', show, act });
}

/** The id of a form that was sent before. */
function idIn(typed: Fields): string | undefined {
  const id = typed.get('id') ?? '';
  return KEY_ID.test(id) ? id : undefined;
}

const NO_ID: Fault = { field: 'id', message: 'The form was incomplete. Send it again.' };
const TOO_MANY: Fault = {
  field: 'id',
  message: `An account can have at most ${MOST_KEYS} keys. Revoke keys that you do not need.`,
};

function readWish(fields: Fields, { settings: { callbacks } }: Pick<Deps, 'settings'>) {
  const kind = fields.get('kind');
  const mode = fields.get('mode');
  if (kind !== 'public' && kind !== 'private')
    return { field: 'kind', message: 'Choose a public or a private key.' };
  if (mode !== 'test' && mode !== 'live') return { field: 'mode', message: 'Choose a test or a live key.' };
  const settings = readSettings(fields, { kind, mode, allowAnyUrl: callbacks.allowPrivateAddresses });
  return 'message' in settings ? settings : ({ settings, kind, mode } as const);
}

interface Form {
  readonly typed: Fields;
  readonly fault?: Fault;
  /** @default a new id. A form that is sent twice creates one key. */
  readonly id?: string | undefined;
}

function sendForm({ request, reply, site, may, send }: Visit, deps: DashboardDeps, form: Form) {
  const { typed, fault, id = makeKeyId() } = form;
  if (fault) reply.code(422);
  const shown = { typed, fault };
  return send({
    title: 'Create a key',
    main: html`<p class="back"><a href="${site.link(KEYS)}">Keys</a></p>
<h1>Create a key</h1>
${problem(fault && `${fault.message} No key was created.`)}
<form class="box settings" method="post" action="${site.link(PATH)}">
${formToken(request)}
${hidden([['id', id]])}
${nameField(shown)}
${choiceFields(shown, { takesLive: deps.live !== undefined, mayMakeLive: may('manageKeys') })}
<fieldset class="of-public"><legend>For a public key</legend>
${restrictionFields('public', shown)}</fieldset>
<fieldset class="of-private"><legend>For a private key</legend>
${restrictionFields('private', shown)}</fieldset>
<p><button class="primary">Create key</button></p>
</form>`,
  });
}

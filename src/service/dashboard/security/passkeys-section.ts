/** The passkeys on the page of security: adds, renames and removes them. */
import { type Html, html } from '../../pages/html.ts';
import { hidden, problem } from '../../pages/page-layout.ts';
import { addOwnPasskey, removeOwnPasskey, renameOwnPasskey } from '../../people/factors/change-factors.ts';
import { NEEDS_SCRIPTS } from '../../people/factors/factor-forms.ts';
import { type ListedPasskey, LONGEST_NAME, MOST_PASSKEYS } from '../../people/factors/passkey-store.ts';
import { canHavePasskeys } from '../../people/factors/passkeys.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { dataTable } from '../data-table.ts';
import type { Fields } from '../form-fields.ts';
import { guard, guardedActions } from '../guarded-form.ts';
import { moment } from '../moment.ts';
import { addAction, type DashboardDeps, type DashboardScope, type PersonVisit } from '../visit.ts';
import { browserName } from './browser-name.ts';
import { sendCodes } from './codes-page.ts';
import { done, PATH, type Said, type SendSecurity, type Stored, whyKept } from './security-section.ts';

const ADD = `${PATH}/passkeys`;
const RENAME = `${ADD}/rename`;
const REMOVE = `${ADD}/remove`;

export function passkeysSection(
  deps: DashboardDeps,
  visit: PersonVisit,
  { passkeys, creation }: Stored,
  { fault, passkeyName }: Said,
): Html {
  const { request, site } = visit;
  const said = fault?.section === 'passkeys' ? fault : undefined;
  const name = passkeyName ?? browserName(request.headers['user-agent'] ?? null).slice(0, LONGEST_NAME);
  const wrong = said?.field === 'name' && html` aria-invalid="true" aria-describedby="problem" autofocus`;
  return html`<section class="box" aria-labelledby="passkeys">
<h2 id="passkeys">Passkeys</h2>
${problem(said?.text, said?.field === undefined)}
<p>A passkey is on your device or in your password manager, and your fingerprint, face or PIN opens it. It lets you in alone, without the password. It also serves as the second factor after the password.</p>
${passkeys.length > 0 && table(visit, passkeys)}
${
  canHavePasskeys(deps)
    ? html`<form class="fields" method="post" action="${site.link(ADD)}" data-passkey="create"${creation && html` data-options="${JSON.stringify(creation)}"`}>
${formToken(request)}
<input type="hidden" name="passkey" value="" disabled>
<p class="field"><label for="passkey-name">Name of the new passkey</label>
<input id="passkey-name" name="name" value="${name}" maxlength="${LONGEST_NAME}" autocomplete="off" required${wrong}></p>
${NEEDS_SCRIPTS}
<p><button>Add a passkey</button></p>
</form>`
    : html`<p class="note">You cannot add a passkey on this server at the moment. Ask the operator for it.</p>`
}
</section>`;
}

function table({ request, site }: PersonVisit, passkeys: readonly ListedPasskey[]): Html {
  const token = formToken(request);
  return dataTable({
    label: 'Your passkeys',
    caption: 'The first one comes first.',
    columns: ['Name', 'Added', 'Used', 'Change'],
    rows: passkeys.map(({ id, name, created_at, used_at }, index) => [
      html`<bdi>${name}</bdi>`,
      moment(created_at),
      used_at === null ? 'never' : moment(used_at),
      html`<details><summary>Change<span class="unseen"> the passkey <bdi>${name}</bdi></span></summary>
<form method="post" action="${site.link(RENAME)}">${token}${hidden([['id', id]])}
<p class="field"><label for="name-${index}">New name</label>
<input id="name-${index}" name="name" value="${name}" maxlength="${LONGEST_NAME}" autocomplete="off" required></p>
<button class="small">Rename</button></form>
<form method="post" action="${site.link(REMOVE)}">${token}${hidden([['id', id]])}<button class="small danger">Remove<span class="unseen"> the passkey <bdi>${name}</bdi></span></button></form></details>`,
    ]),
  });
}

const FAULTS = {
  wrong: 'The passkey could not be added, because the page was open for too long. Try again.',
  known: 'This passkey was added before.',
  'too many': `You can have at most ${MOST_PASSKEYS} passkeys. Remove one that you do not need.`,
  'no name': `Give the passkey a name of 1 to ${LONGEST_NAME} characters.`,
  'no scripts': 'Passkeys need JavaScript. Turn it on in this browser, then try again.',
} as const;

/** @returns undefined for a name that the table does not take */
function readName(fields: Fields): string | undefined {
  const name = (fields.get('name') ?? '').replace(/\p{Cc}/gu, '').trim();
  return name !== '' && [...name].length <= LONGEST_NAME ? name : undefined;
}

export function passkeysActions(scope: DashboardScope, deps: DashboardDeps, send: SendSecurity): void {
  const refuse = (visit: PersonVisit, why: keyof typeof FAULTS, passkeyName?: string) => {
    visit.reply.code(422);
    const field = why === 'no name' ? { field: 'name' } : {};
    return send(visit, { fault: { section: 'passkeys', text: FAULTS[why], ...field }, passkeyName });
  };

  addAction(scope, ADD, { right: 'own', back: PATH }, (visit, fields) =>
    guard(deps, visit, fields, {
      purpose: 'add a passkey',
      async act(typed) {
        const name = readName(typed);
        if (name === undefined) return refuse(visit, 'no name', typed.get('name'));
        const text = typed.get('passkey');
        if (text === undefined) return refuse(visit, 'no scripts', name);
        const { value: browser } = visit.request.browser;
        const added = await addOwnPasskey(deps, visit.person, { text, browser, name });
        if (added.kind !== 'added') return refuse(visit, added.kind, name);
        if (added.codes) return sendCodes(visit, added.codes, 'The passkey was added.');
        return done(visit, 'passkey-added');
      },
      // The browser makes the passkey only now.
      resume: (typed) => send(visit, { passkeyName: typed.get('name') }),
    }),
  );

  const add = guardedActions(scope, deps, { right: 'own', back: PATH });

  add(RENAME, 'rename the passkey', async (visit, typed) => {
    const name = readName(typed);
    if (name === undefined) return refuse(visit, 'no name');
    const isKnown = await renameOwnPasskey(deps, visit.person, typed.get('id') ?? '', name);
    return isKnown ? done(visit, 'passkey-renamed') : visit.notFound('passkey');
  });

  add(REMOVE, 'remove the passkey', async (visit, typed) => {
    const removed = await removeOwnPasskey(deps, visit.person, typed.get('id') ?? '');
    if (removed === 'removed') return done(visit, 'passkey-removed');
    if (removed === 'unknown') return visit.notFound('passkey');
    visit.reply.code(409);
    return send(visit, { fault: { section: 'passkeys', text: whyKept[removed] } });
  });
}

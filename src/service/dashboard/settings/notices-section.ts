/** The URL that is told when the credits run low. */
import { Failure } from '../../core/failures.ts';
import { figure } from '../../core/format.ts';
import type { Deps } from '../../deps/deps.ts';
import { changeNoticeUrl } from '../../notices/change-notice-url.ts';
import type { Notice } from '../../notices/notice-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { MAX_LENGTH, readReceiverUrl } from '../../webhooks/receiver-url.ts';
import { textField } from '../form-fields.ts';
import { guardedActions } from '../guarded-form.ts';
import { moment } from '../moment.ts';
import { actorOf, type DashboardDeps, type DashboardScope, type Visit } from '../visit.ts';
import type { SendSettings } from './settings-page.ts';
import { done, faultOf, PATH, type Said } from './settings-section.ts';

const SET = `${PATH}/notices`;
const REMOVE = `${PATH}/notices/remove`;
const FIELD = 'notice_url';
const PURPOSE = { name: 'the notice URL', use: 'It was not changed.' };

export function noticesSection(
  { request, site }: Visit,
  { settings }: Pick<Deps, 'settings'>,
  notice: Notice | undefined,
  said: Said,
): Html {
  const fault = faultOf(said, 'notices');
  const token = formToken(request);
  const { lowCredits } = settings;
  return html`<section class="box" aria-labelledby="notices">
<h2 id="notices">Notice of low credits</h2>
<p>The service sends one request to this URL when your credits run low: when you have fewer than 3 more days like the last 7 need${lowCredits !== undefined && `, or fewer than ${figure(lowCredits)}`}. The next one follows only after you had enough in between. It is signed as callbacks are.</p>
${problem(fault)}
<form class="fields" method="post" action="${site.link(SET)}">
${token}
${textField({
  ...{ label: 'Notice URL', name: FIELD, type: 'url', maxLength: MAX_LENGTH, isRequired: true },
  value: (fault === undefined ? undefined : said.typed?.get(FIELD)) ?? notice?.url ?? '',
  fault: fault === undefined ? undefined : { field: FIELD, message: fault },
})}
${notice && html`<p class="note" id="notice-state">${sayState(notice)}</p>`}
<p><button>Save the notice URL</button></p>
</form>
${notice && html`<form method="post" action="${site.link(REMOVE)}">${token}<p><button>Remove the notice URL</button></p></form>`}
</section>`;
}

function sayState({ told_at, state, due_at, error }: Notice): Html {
  if (told_at === null) return html`No notice is needed at the moment.`;
  const which = html`The notice of ${moment(told_at)}`;
  switch (state!) {
    case 'delivered':
      return html`${which} was delivered.`;
    case 'given up':
      return html`${which} was not delivered. ${error ?? ''} The service stopped trying.`;
    case 'being sent':
      return html`${which} is being sent.`;
    case 'waiting':
      return error === null
        ? html`${which} is sent in a moment.`
        : html`${which} is not delivered yet. ${error} The next try is at ${moment(due_at!)}.`;
  }
}

export function noticesActions(scope: DashboardScope, deps: DashboardDeps, send: SendSettings): void {
  const { db, settings } = deps;
  const purpose = 'change the notice URL';

  const change = (visit: Visit, url?: string) =>
    changeNoticeUrl(db, {
      accountId: visit.accountId,
      actor: actorOf(visit),
      ...(url !== undefined && { url }),
    });

  const add = guardedActions(scope, deps, { right: 'manageBatches', back: PATH });

  add(SET, purpose, async (visit, typed) => {
    try {
      const url = readReceiverUrl((typed.get(FIELD) ?? '').trim(), settings.callbacks, PURPOSE);
      return done(visit, (await change(visit, url)) ? 'notices' : 'notices-as-before');
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'badRequest') throw error;
      visit.reply.code(422);
      return send(visit, { fault: { section: 'notices', text: error.message }, typed });
    }
  });

  add(REMOVE, purpose, async (visit) => {
    await change(visit);
    return done(visit, 'notices-removed');
  });
}

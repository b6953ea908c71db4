/** The form that asks for an address. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { withMoments } from '../moment.ts';
import type { Asked } from './verify-link.ts';

export interface AskForm extends Pick<Asked, 'address' | 'acceptAll' | 'mode'> {
  /** Whether live verification can be chosen. */
  readonly isLive: boolean;
  /** Whether the account can pay for it. Without credits it can still be chosen, because billing may add some. */
  readonly hasCredits: boolean;
  /** Whether a payment for missing credits is in progress. */
  readonly isPaying: boolean;
  /** Where more credits come from. */
  readonly moreCredits: Html;
  /** Whether unknown results cost nothing. */
  readonly refundUnknown: boolean;
  /** How long the same verification is free, in words. */
  readonly keptFor: string;
  readonly fault?: string | undefined;
  /** Whether the fault is one of the address. */
  readonly isAddressWrong?: boolean;
}

export function askForm(request: FastifyRequest, site: Site, form: AskForm): Html {
  const { address, acceptAll, mode, fault, isAddressWrong = false } = form;
  const { isLive, hasCredits, isPaying, moreCredits, refundUnknown, keptFor } = form;
  const checked = html` checked`;
  const wrong = isAddressWrong && html` aria-invalid="true" autofocus`;
  const described = html` aria-describedby="${fault === undefined ? '' : 'problem '}kept"`;
  return html`${problem(fault === undefined ? undefined : withMoments(fault))}
<form class="box ask" method="post" action="${site.link('/dashboard/verify')}" novalidate>
${formToken(request)}
<p class="field"><label for="address">Email address</label>
<input id="address" name="address" type="email" value="${address}" inputmode="email" autocomplete="off" autocapitalize="none" spellcheck="false"${wrong}${described}></p>
<fieldset><legend>How</legend>
${
  isLive
    ? html`<label class="choice"><input type="radio" name="mode" value="live"${mode === 'live' && checked}> Live: ask the mail server</label>
<p class="note">Costs 1 credit${refundUnknown && '. Unknown results cost nothing'}.${!hasCredits && html` Your account has no credits. ${isPaying ? 'A payment is in progress.' : moreCredits}`}</p>`
    : html`<p class="note">This server has no live verification, so results are samples.</p>`
}
<label class="choice"><input type="radio" name="mode" value="test"${mode === 'test' && checked}> Test: a sample result</label>
<p class="note">Free. No mail server is asked. A test key gets the same result.</p>
</fieldset>
<fieldset><legend>What else to find out</legend>
<label class="choice"><input type="checkbox" name="accept_all" value="true"${acceptAll && checked}> Whether the mail server accepts every address</label>
<p class="note">This takes longer.</p>
</fieldset>
<p><button class="primary">Verify</button></p>
<p class="note" id="kept">The service does not store results. For ${keptFor}, you can open a result again, and the same verification is free.</p>
</form>`;
}

/** The second step of a sign-in, at `/login`. It names no person and no account. */
import type { FastifyReply } from 'fastify';
import { sendPage } from '../../pages/error-page.ts';
import { html } from '../../pages/html.ts';
import { problem } from '../../pages/page-layout.ts';
import type { Site } from '../../pages/page-urls.ts';
import { supportWords } from '../../pages/support.ts';
import { letScriptsRun } from '../sign-in/sign-in-ways.ts';
import { factorForms } from './factor-forms.ts';
import type { Factors } from './factor-store.ts';
import type { SentFactor } from './second-factor.ts';

export const SECOND_STEP = '/login/second-step';

export interface SecondStep {
  readonly factors: Factors;
  /** What the browser needs to ask for a passkey. */
  readonly options: object | undefined;
  readonly fault?: { readonly text: string; readonly kind?: SentFactor['kind'] } | undefined;
}

export function sendSecondStep(
  reply: FastifyReply,
  site: Site,
  { factors, options, fault }: SecondStep,
): FastifyReply {
  const isPaused = fault !== undefined && fault.kind === undefined;
  const main = html`<h1>Second step</h1>
${problem(fault?.text, isPaused)}
<p>The password is right. Now confirm the sign-in.</p>
${factorForms(reply.request, {
  ...{ action: site.link(SECOND_STEP), kept: [], factors, options, wrong: fault?.kind },
  ...{ button: 'Sign in', passkeyButton: 'Sign in with a passkey' },
})}
<p class="note">Lost your second factor? Use a recovery code. Lost these, too? ${supportWords(site.support, 'Ask ', ' to reset it.')}</p>
<p class="plain"><a href="${site.link('/login?step=first')}">Sign in as somebody else</a></p>`;
  letScriptsRun(reply);
  const title = fault === undefined ? 'Second step' : 'Not signed in';
  const { script } = reply.request.server.signInWays;
  return sendPage(reply, site, { title, main, head: script, top: { path: '/login' }, isNarrow: true });
}

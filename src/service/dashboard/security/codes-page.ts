/** Shows new recovery codes, once. */
import { html } from '../../pages/html.ts';
import { outcome } from '../../pages/page-layout.ts';
import type { PersonVisit } from '../visit.ts';
import { PATH } from './security-section.ts';

/** @param what has happened */
export const sendCodes = ({ site, send }: PersonVisit, codes: readonly string[], what: string) =>
  send({
    title: 'Recovery codes',
    main: html`<p class="back"><a href="${site.link(PATH)}">Security</a></p>
<h1>Recovery codes</h1>
${outcome(`${what} Keep these codes now: they are not shown again.`)}
<section class="box" aria-labelledby="codes-title">
<h2 id="codes-title">Your recovery codes</h2>
<p>If you lose your app or your passkey, each of these codes lets you in once. Print them, or keep them in a password manager, and not on the device that you could lose.</p>
<ol id="recovery-codes" class="codes">${codes.map(
      (code) => html`<li><code>${code}</code></li>
`,
    )}</ol>
<p><button type="button" data-copy="recovery-codes" hidden>Copy the codes</button></p>
</section>
<p><a class="button primary" href="${site.link(PATH)}">I have kept the codes</a></p>`,
  });

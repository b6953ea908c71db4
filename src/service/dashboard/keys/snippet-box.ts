/** The snippet on a page, with a form for its options. With scripts, it updates in place. */
import type { OwnKey } from '../../keys/manage/manage-keys-store.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { selectField } from '../form-fields.ts';
import { KEYS } from './key-list.ts';
import { type Chosen, chosenIn, OPTIONS, playgroundHash, writeSnippet } from './key-snippet.ts';
import { shortValue } from './key-words.ts';

interface SnippetBox {
  readonly key: Pick<OwnKey, 'id' | 'name' | 'mode' | 'last4' | 'captcha_provider' | 'trusted_domains'>;
  /** The whole key, on the one page that has it. */
  readonly value?: string;
  readonly url: string;
  readonly site: Site;
  readonly chosen: Chosen;
}

export function snippetBox({ key, value, url, site, chosen }: SnippetBox): Html {
  const captcha = key.captcha_provider;
  const placeholder = shortValue(key);
  const snippet = writeSnippet({ url, key: value ?? placeholder, captcha, chosen });
  const fields = OPTIONS.map((option) => selectField({ ...option, value: chosenIn(option, chosen) }));
  return html`<section class="box" aria-labelledby="snippet-title">
<h2 id="snippet-title">Put the widget on your pages</h2>
<p>Paste this into the <code>&lt;head&gt;</code> of every page with a form, on ${domainList(key.trusted_domains)}.
${value === undefined && html`Replace <code>${placeholder}</code> with your whole key. This page knows only its end.`}
${captcha !== null && html`Replace <code>YOUR-SITE-KEY</code> with the site key of your captcha.`}
${captcha === 'recaptcha' && html`For reCAPTCHA v2, load <code>recaptcha-v2.js</code> instead.`}</p>
<pre class="wrapped"><code id="snippet" aria-live="polite">${snippet}</code></pre>
<p><button type="button" data-copy="snippet" hidden>Copy snippet</button></p>
<details${chosen.size > 0 && html` open`}><summary>Choose options</summary>
<form method="get" action="${site.link(`${KEYS}/${key.id}/snippet`)}" class="options columns" data-snippet="${placeholder}"${value !== undefined && html` target="_blank"`}>
${fields}
<p><button>Update the snippet</button></p>
</form></details>
<p class="note">${TRY[key.mode]}</p>
</section>`;
}

const domainList = (domains: readonly string[]): Html =>
  html`${domains.map((domain, index) => html`${index > 0 && (index === domains.length - 1 ? ' and ' : ', ')}<bdi>${domain}</bdi>`)}`;

/** Sample addresses work with test keys only. A live key asks the mail server of the address. */
const TRY = {
  test: html`Type <code>deliverable@example.com</code> or <code>undeliverable@example.com</code> into your form to see it at work.`,
  live: html`Type an email address of your own into your form to see it at work. Each result costs one credit.`,
};

export const playgroundLink = (
  site: Site,
  more: Readonly<Record<string, string>>,
  chosen: Chosen = new Map(),
): Html =>
  html`<p class="plain"><a href="${site.link('/playground/')}${playgroundHash(chosen, more)}">Try all options in the playground</a></p>`;

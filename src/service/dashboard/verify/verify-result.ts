/** The result of one address: first in words, then all fields, then the evidence. */
import type { Verified } from '../../../engine/verifier.ts';
import { type Html, html } from '../../pages/html.ts';
import { ResultSchema } from '../../verify/verify-schema.ts';
import { dataTable } from '../data-table.ts';
import { evidenceTable } from './evidence-table.ts';
import { SCORES, sayResult } from './result-words.ts';
import type { Asked } from './verify-link.ts';

export interface ShownResult {
  readonly asked: Asked;
  readonly verified: Verified;
  /** The form with the suggested address in it. */
  readonly suggestionLink: string | undefined;
  /** The public URL of the service. */
  readonly publicUrl: string;
}

export function resultSection({ asked, verified, suggestionLink, publicUrl }: ShownResult): Html {
  const { result, evidence } = verified;
  const { state, score, reason, did_you_mean } = result;
  // The verdict is the last step.
  const rule = evidence.at(-1)?.rule;
  const { headline, because, advice } = sayResult(result, rule);
  return html`<section id="result" class="result" aria-labelledby="headline" data-says="${headline}" data-verified="${asked.address}" data-state="${state}">
<div class="box verdict ${state}">
<p><span class="state ${state}">${state}</span></p>
<h2 id="headline" tabindex="-1" autofocus>${headline}</h2>
<p>${because} ${advice}</p>
${suggestionLink !== undefined && html`<p>Did you mean <a href="${suggestionLink}"><bdi>${did_you_mean ?? ''}</bdi></a>?</p>`}
<dl><dt>Reason</dt><dd><code>${reason}</code></dd><dt>Score</dt><dd>${score} of 100. <span class="note">${SCORES}</span></dd></dl>
${asked.mode === 'test' && html`<p class="note">This is a sample result, as a test key gets it. No mail server was asked.</p>`}
</div>
<h2>All fields</h2>
${fieldTable(result)}
<h2>How we know</h2>
${
  evidence.length > 0
    ? evidenceTable(evidence)
    : html`<p class="note">${asked.mode === 'test' ? 'Sample results are computed from the address, so there are no steps to show.' : 'The steps of this verification are not available.'}</p>`
}
<h2>The same from a program</h2>
<pre id="curl" tabindex="0">${curlOf(asked, publicUrl)}</pre>
<p><button type="button" class="small" data-copy="curl" hidden>Copy the command</button></p>
</section>`;
}

type Field = [keyof Verified['result'], { description: string }];
const FIELDS = Object.entries(ResultSchema.properties) as Field[];

function fieldTable(result: Verified['result']): Html {
  return dataTable({
    ...{ label: 'All fields', caption: "The fields of the API's result." },
    columns: ['Field', { title: 'Value', css: 'value' }, { title: 'Meaning', css: 'note' }],
    rows: FIELDS.map(([name, { description }]) => [
      html`<code>${name}</code>`,
      html`<bdi>${textOf(result[name])}</bdi>`,
      withCode(description),
    ]),
  });
}

/** The descriptions are those of the API's documentation, in Markdown. */
const withCode = (description: string): Html[] =>
  description.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

function textOf(value: unknown): Html | string {
  if (value === null || value === undefined) return html`<span class="note">null</span>`;
  if (value === '') return html`<span class="note">empty</span>`;
  return html`${breakable(String(value))}`;
}

/** Long addresses break before punctuation, not in the middle of a word. */
const breakable = (text: string): Html[] =>
  text.split(/(?=[@.+_-])/).map((part, index) => (index > 0 ? html`<wbr>${part}` : html`${part}`));

/** A test key has no evidence. */
function curlOf({ address, acceptAll, mode }: Asked, publicUrl: string): string {
  const isLive = mode === 'live';
  const parts = [
    `curl -G '${publicUrl}/v1/verify${isLive ? '/explain' : ''}'`,
    `-H 'Authorization: Bearer ${mode}_your_private_key'`,
    `--data-urlencode ${quoted(`email=${address}`)}`,
    ...(acceptAll ? ['-d accept_all=true'] : []),
  ];
  return parts.join(' \\\n  ');
}

/** For a shell. Between single quotes, only the quote itself is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The first steps with a new account. Each step is ticked off when it is done. The list disappears once all are done,
 * or the account is in use.
 */
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import type { Facts } from './overview-facts.ts';

interface Step {
  readonly isDone: boolean;
  readonly title: string;
  readonly text: string;
  /** Absent while another step must come first. */
  readonly go: { readonly path: string; readonly link: string } | undefined;
}

const stepsOf = ({ keys, sources }: Facts): readonly Step[] => [
  {
    isDone: keys.length > 0,
    title: 'Create a key',
    text: 'A test key is free and returns sample results.',
    go: { path: '/dashboard/keys/new', link: 'Create a key' },
  },
  {
    isDone: sources.includes('verify'),
    title: 'Put the widget into a form',
    text: 'A public key comes with a line of HTML. Or call the API from your server with a private key.',
    go: keys.length === 0 ? undefined : snippetOf(keys),
  },
  {
    isDone: sources.includes('batch'),
    title: 'Verify a list',
    text: 'Upload a file, choose the column with the addresses, and see the cost before you start.',
    go: { path: '/dashboard/batches/new', link: 'Verify a list' },
  },
];

function snippetOf(keys: Facts['keys']): Step['go'] {
  const key = keys.find(({ kind }) => kind === 'public');
  return key
    ? { path: `/dashboard/keys/${key.id}/snippet`, link: 'Get the snippet' }
    : { path: '/dashboard/keys/new', link: 'Create a public key' };
}

/** @returns undefined once all steps are done, or the account has live results */
export function firstSteps(facts: Facts, site: Site): Html | undefined {
  const steps = stepsOf(facts);
  const next = steps.find(({ isDone, go }) => !isDone && go);
  if (facts.results.length > 0 || steps.every(({ isDone }) => isDone)) return undefined;
  return html`<section class="empty" aria-labelledby="steps-title">
<h2 id="steps-title">Welcome. Start with these three steps</h2>
<ol class="steps columns">${steps.map(
    (step) => html`<li class="${step.isDone && 'over'}">
<h3>${step.title}${step.isDone && html` <span class="state deliverable">done</span>`}</h3>
<p class="note">${step.text}</p>
${!step.isDone && linkOf(step, step === next, site)}
</li>`,
  )}</ol>
</section>`;
}

function linkOf({ go }: Step, isNext: boolean, site: Site): Html {
  if (!go) return html`<p class="note">This needs a key, so create one first.</p>`;
  return html`<a class="${isNext ? 'button primary' : 'button'} small" href="${site.link(go.path)}">${go.link}</a>`;
}

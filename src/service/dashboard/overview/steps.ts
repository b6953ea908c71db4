/** What somebody does first. Each step ticks itself off, and all go once nothing is left or the account is in use. */
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/site.ts';
import type { Facts } from './facts.ts';

interface Step {
  readonly isDone: boolean;
  readonly title: string;
  readonly text: string;
  /** Absent as long as something else has to be done first. */
  readonly go: { readonly path: string; readonly link: string } | undefined;
}

const stepsOf = ({ keys, sources }: Facts): readonly Step[] => [
  {
    isDone: keys.length > 0,
    title: 'Create a key',
    text: 'A test key costs nothing, and answers with sample results.',
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
    text: 'Drop a file, choose its column, and see what it costs before anything starts.',
    go: { path: '/dashboard/batches/new', link: 'Verify a list' },
  },
];

function snippetOf(keys: Facts['keys']): Step['go'] {
  const key = keys.find(({ kind }) => kind === 'public');
  return key
    ? { path: `/dashboard/keys/${key.id}/snippet`, link: 'Get the snippet' }
    : { path: '/dashboard/keys/new', link: 'Create a public key' };
}

/** @returns undefined once all is done, or once there are live results: who uses the service needs no first steps */
export function firstSteps(facts: Facts, site: Site): Html | undefined {
  const steps = stepsOf(facts);
  const next = steps.find(({ isDone, go }) => !isDone && go);
  if (facts.results.length > 0 || steps.every(({ isDone }) => isDone)) return undefined;
  return html`<section class="empty" aria-labelledby="steps-title">
<h2 id="steps-title">Welcome. Start with these three steps</h2>
<ol class="steps">${steps.map(
    (step) => html`<li class="${step.isDone && 'over'}">
<h3>${step.title}${step.isDone && html` <span class="state deliverable">done</span>`}</h3>
<p class="hint">${step.text}</p>
${!step.isDone && linkOf(step, step === next, site)}
</li>`,
  )}</ol>
</section>`;
}

function linkOf({ go }: Step, isNext: boolean, site: Site): Html {
  if (!go) return html`<p class="hint">This needs a key, so create one first.</p>`;
  return html`<a class="${isNext ? 'button primary' : 'button'} small" href="${site.link(go.path)}">${go.link}</a>`;
}

/** What somebody does first. Each step ticks itself off. */
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/site.ts';
import type { Facts } from './facts.ts';

interface Step {
  readonly isDone: boolean;
  readonly title: string;
  readonly text: string;
  readonly path: string;
  readonly link: string;
}

const stepsOf = ({ keys, sources }: Facts): readonly Step[] => [
  {
    isDone: keys.length > 0,
    title: 'Create a key',
    text: 'A test key costs nothing, and answers with sample results.',
    ...{ path: '/dashboard/keys', link: 'Create a key' },
  },
  {
    isDone: sources.includes('verify'),
    title: 'Put the widget into a form',
    text: 'A public key comes with a line of HTML. Or call the API from your server with a private key.',
    ...{ path: '/dashboard/keys', link: 'Get the snippet' },
  },
  {
    isDone: sources.includes('batch'),
    title: 'Verify a list',
    text: 'Drop a file, choose its column, and see what it costs before anything starts.',
    ...{ path: '/dashboard/batches/new', link: 'Verify a list' },
  },
];

/** @returns undefined once there are results: who verifies needs no first steps */
export function firstSteps(facts: Facts, site: Site): Html | undefined {
  if (facts.sources.length > 0) return undefined;
  const steps = stepsOf(facts);
  const next = steps.find(({ isDone }) => !isDone);
  return html`<section class="empty" aria-labelledby="steps-title">
<h2 id="steps-title">Welcome. Three steps, and this page comes to life</h2>
<ol class="steps">${steps.map(
    (step) => html`<li class="${step.isDone && 'over'}">
<h3>${step.title}${step.isDone && html` <span class="state deliverable">done</span>`}</h3>
<p class="hint">${step.text}</p>
${!step.isDone && html`<a class="${step === next ? 'button primary' : 'button'} small" href="${site.link(step.path)}">${step.link}</a>`}
</li>`,
  )}</ol>
</section>`;
}

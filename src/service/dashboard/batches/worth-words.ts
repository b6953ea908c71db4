/** What a list is worth, in one sentence: how many to send to, to look at and to leave out, and how many may bounce. */
import { totalCounts } from '../../batch/result-counts.ts';
import { addresses, capital, counted, figure } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Progress } from './batch-progress.ts';

/** @param progress of a batch that has ended, with a result at least */
export function worthWords({ batch, tally, verified }: Progress): Html {
  const { deliverable, risky, unknown, undeliverable } = totalCounts(tally, 0, batch.total);
  const open = batch.distinct_total - verified;
  const byHand = risky + unknown;
  const rest = [
    ...(byHand > 0 ? [`look at ${figure(byHand)} by hand`] : []),
    ...(undeliverable > 0 ? [`leave out ${figure(undeliverable)}`] : []),
  ].join(', and ');
  // A result that is not certain may bounce, and so may an address without one.
  const most = undeliverable + byHand + open;
  const bounces =
    most > 0 && ` If you sent to all ${figure(batch.distinct_total)}, ${sayBounces(undeliverable, most)}.`;
  return html`<p id="worth"><strong>You can send to ${sayGood(deliverable, batch.distinct_total)}.</strong>
${rest !== '' && ` ${capital(rest)}.`}${open > 0 && ` ${addresses(open)} ${open === 1 ? 'has' : 'have'} no result.`}${bounces}</p>`;
}

function sayGood(deliverable: number, all: number): string {
  if (deliverable === all) return all === 1 ? 'this address' : `all ${addresses(all)}`;
  return `${deliverable === 0 ? 'none' : figure(deliverable)} of ${addresses(all)}`;
}

function sayBounces(least: number, most: number): string {
  if (least === most) return `${counted(most, 'message')} would bounce`;
  const range = least === 0 ? 'at most' : `${figure(least)} to`;
  return `${range} ${counted(most, 'message')} would bounce`;
}

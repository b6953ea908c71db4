/** Tells on every page that the credits run low: how long they last, and where more come from. */
import { counted, figure } from '../core/format.ts';
import { findOpenPayment } from '../credits/billing/payment-store.ts';
import { readRunningLow } from '../credits/low/running-low.ts';
import type { Deps } from '../deps/deps.ts';
import { type Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import { missingCreditsWords } from './more-credits-words.ts';

/** How long credits last, rounded down. */
export const lastingDays = (days: number): string =>
  days < 1 ? 'less than a day' : counted(Math.floor(days), 'day');

/** @returns undefined if there are enough credits */
export async function lowBanner(
  deps: Pick<Deps, 'db' | 'settings'>,
  site: Site,
  accountId: string,
): Promise<Html | undefined> {
  const { db, settings } = deps;
  const low = await readRunningLow(db, accountId, settings);
  if (!low) return undefined;
  const { available, daysLeft } = low;
  const payment = settings.billing && (await findOpenPayment(db, accountId));
  const pace =
    daysLeft !== undefined && ` At the pace of the last 7 days, they last ${lastingDays(daysLeft)}.`;
  return html`<p class="warning" id="running-low" role="status">${
    available === 0
      ? html`<strong>You have no credits left.</strong>`
      : html`<strong>Your credits run low: ${figure(available)} ${available === 1 ? 'is' : 'are'} left.</strong>${pace}`
  } ${missingCreditsWords(deps, accountId, available, payment)} <a href="${site.link('/dashboard/usage')}">See what used them</a></p>`;
}

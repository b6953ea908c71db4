/** Words what the owner should look at, with links to act on it. */
import { counted, figure, share } from '../../core/format.ts';
import { lastWeek } from '../../credits/low/last-week.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { endOfPause } from '../batches/batch-words.ts';
import { nameOfBatch, nameOfKey } from '../display-names.ts';
import { isNearlySpent, nameOf } from '../keys/key-words.ts';
import { lastingDays } from '../low-banner.ts';
import { moment } from '../moment.ts';
import { paymentWords } from '../more-credits-words.ts';
import type { Facts } from './overview-facts.ts';
import { unusualUnknown } from './results-by-day.ts';

/** Most important first. @returns an empty list if all is well */
export const findAlerts = (facts: Facts, site: Site): Html[] =>
  [
    ...sayUnavailable(facts),
    ...sayCredits(facts),
    ...saySpentKeys(facts, site),
    ...sayUnknown(facts),
    ...sayCallbacks(facts, site),
    ...sayRefusals(facts, site),
    ...sayPauses(facts, site),
  ].map((item) => html`<li class="warning">${item}</li>`);

function* sayUnavailable({ isPortClosed, isLive, keys }: Facts): Generator<Html> {
  if (!isLive && keys.some(({ mode }) => mode === 'live'))
    yield html`<strong>This server does not verify with live keys.</strong> Its operator can set that up. Test keys work.`;
  if (isPortClosed)
    yield html`<strong>Verification is unavailable at the moment.</strong> This server cannot reach any mail server. Requests with live keys are refused and cost nothing, and batches wait.`;
}

function* sayCredits({ credits, isLow, payment, keys, moreCredits, missingCredits }: Facts): Generator<Html> {
  const { available, sums } = credits;
  const { daysLeft, spent, givenBack } = lastWeek(credits);
  const isUsed = sums.length > 0 || keys.some(({ mode }) => mode === 'live');
  // The banner of the page has said it.
  if (isLow) return;
  if (payment)
    yield html`${paymentWords(payment)} Until then, requests that need more credits than you have are refused.`;
  else if (available === 0 && isUsed)
    yield html`<strong>You have no credits left.</strong> ${missingCredits}`;
  else if (daysLeft !== undefined && daysLeft < 7)
    yield html`<strong>At this pace, your credits last ${lastingDays(daysLeft)}.</strong> You have used ${figure(spent - givenBack)} in the last 7 days, and ${figure(available)} are left. ${moreCredits}`;
}

const DAY_MS = 86_400_000;

function* saySpentKeys({ keys, credits }: Facts, site: Site): Generator<Html> {
  const tomorrow = moment(new Date(Date.parse(credits.today) + DAY_MS));
  for (const key of keys.filter(isNearlySpent)) {
    const { id, spent_today, daily_credits } = key;
    const isSpent = spent_today >= daily_credits!;
    yield html`<strong>The key <a href="${site.link(`/dashboard/keys/${id}`)}"><bdi>${nameOf(key)}</bdi></a> has spent ${figure(spent_today)} of its ${figure(daily_credits!)} credits of today (UTC).</strong>
${isSpent ? html`Its requests are refused until ${tomorrow}.` : html`After that, its requests are refused until ${tomorrow}.`} You can raise the limit on its page.`;
  }
}

function* sayUnknown({ results, credits }: Facts): Generator<Html> {
  const unusual = unusualUnknown(results, credits.today);
  if (unusual)
    yield html`<strong>${share(unusual.unknown, unusual.all)} of the results of yesterday and today (UTC) are unknown</strong>, which is more than usual. Mail servers may be limiting this server. Verify these addresses again later.`;
}

function* sayCallbacks({ callbacks }: Facts, site: Site): Generator<Html> {
  for (const { batch_id, name, due_at, error } of callbacks)
    yield html`<strong>${due_at ? 'The' : 'The service stopped trying the'} callback of <a href="${site.link(`/dashboard/batches/${batch_id}`)}">${nameOfBatch(batch_id, name)}</a>${due_at !== null && ' fails'}.</strong>
${error ?? 'The service ended before the receiver answered.'} ${due_at === null ? 'Repair the receiver, then send the callback again.' : html`The next try is at ${moment(due_at)}.`}`;
}

const REFUSED = {
  origin: 'from a page of',
  ip: 'from the IP address',
  captcha: 'because of the captcha, on a page of',
} as const;

function* sayRefusals({ refusals, keys }: Facts, site: Site): Generator<Html> {
  for (const { key_id, key_name, last4, reason, seen_from, count, last_at } of refusals) {
    const isNameShared = keys.filter(({ name }) => name === key_name).length > 1;
    const kind = reason === 'ip' ? 'private' : 'public';
    const from = seen_from === '' ? 'an origin that is not known' : seen_from;
    yield html`<strong>The ${key_name === null && `${kind} `}key <a href="${site.link(`/dashboard/keys/${key_id}`)}">${nameOfKey(key_name, last4, isNameShared)}</a> was refused ${REFUSED[reason]} <bdi>${from}</bdi></strong>,
${count === 1 ? 'once' : counted(count, 'time')}, ${count === 1 ? 'at' : 'last at'} ${moment(last_at)}.`;
  }
}

function* sayPauses({ pauses, pausedBatch }: Facts, site: Site): Generator<Html> {
  for (const { id, name, paused_at } of pauses)
    yield html`<strong><a href="${site.link(`/dashboard/batches/${id}`)}">${nameOfBatch(id, name)}</a> is paused</strong> since ${moment(paused_at)}. It waits until you resume it, until ${moment(endOfPause(paused_at, pausedBatch))} at the latest. Then the service stops it.`;
  const more = (pauses[0]?.paused ?? 0) - pauses.length;
  if (more > 0)
    yield html`<strong>${counted(more, 'more batch is', 'more batches are')} paused</strong>, for a shorter time. See <a href="${site.link('/dashboard/batches')}">all batches</a>.`;
}

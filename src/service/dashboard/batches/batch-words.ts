/** Texts about batches: names, figures, and what they wait for. */
import type { Reason } from '../../../protocol/result.ts';
import type { BatchState, BatchSummary } from '../../batch/overview/batch-overview-store.ts';
import type { WaitingReason } from '../../batch/waiting/waiting.ts';
import { addresses, counted } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { moment } from '../moment.ts';

type Named = Pick<BatchSummary, 'id' | 'name' | 'created_at'>;

/** The owner's name for the batch, or its time of creation. */
export const batchName = ({ name, created_at }: Named): Html =>
  name === null ? html`Batch of ${moment(created_at)}` : html`${name}`;

/** The same for titles and labels, which cannot show the time zone of their reader. */
export const batchTitle = ({ name, id }: Named): string => name ?? `Batch ${id.slice(0, 8)}…`;

type Stage = Pick<BatchSummary, 'paused_at' | 'completed_at' | 'stopped_after'>;

export function stateOf({ paused_at, completed_at, stopped_after }: Stage): BatchState {
  if (completed_at) return stopped_after === null ? 'completed' : 'stopped';
  return paused_at ? 'paused' : 'verifying';
}

export const STATE_WORDS: Readonly<Record<BatchState, string>> = {
  verifying: 'Verifying',
  paused: 'Paused',
  stopped: 'Stopped',
  completed: 'Completed',
};

/** When the service stops a batch that stays paused. */
export const endOfPause = (since: Date, pausedBatch: number): Date =>
  new Date(since.getTime() + pausedBatch * 1000);

/** Each reason in a few words, on pages and in the files for people. Programs get the reason itself. */
export const REASON_TITLES: Readonly<Record<Reason, string>> = {
  accepted_email: 'Accepted',
  low_quality: 'Of little use',
  low_deliverability: 'May not arrive',
  invalid_domain: 'No such domain',
  invalid_email: 'Not an address',
  invalid_smtp: 'Not taken by its server',
  rejected_email: 'No such mailbox',
  no_connect: 'Server not reached',
  timeout: 'No answer in time',
  unavailable_smtp: 'Server did not say',
  unexpected_error: 'Not finished',
};

/** The meaning of each reason, shown next to the reason itself. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  accepted_email: 'The mail server accepts the address.',
  low_quality: 'Disposable, a role or otherwise of little use.',
  low_deliverability: 'Mail may not arrive.',
  invalid_domain: 'The domain takes no mail.',
  invalid_email: 'This is not an email address.',
  invalid_smtp: 'The mail server cannot take such an address.',
  rejected_email: 'The mailbox does not exist.',
  no_connect: 'No mail server could be reached.',
  timeout: 'The mail server did not answer in time.',
  unavailable_smtp: 'The mail server refused to say whether the mailbox exists.',
  unexpected_error: 'The verification failed for a reason other than the address.',
};

/** Whole minutes, because the page does not update every second. */
function forSoLong(until: Date, now: Date): string {
  const minutes = Math.ceil((until.getTime() - now.getTime()) / 60_000);
  return minutes <= 1 ? 'less than a minute' : `${minutes} minutes`;
}

/** @param pausedBatch how long a batch may be paused, in seconds */
export function sayWait(wait: WaitingReason, now: Date, pausedBatch: number): Html {
  switch (wait.kind) {
    case 'paused':
      return html`The batch was paused at ${moment(wait.since)}. It continues when you resume it. If it is still paused at ${moment(endOfPause(wait.since, pausedBatch))}, the service stops it, and gives back the credits of the addresses without a result.`;
    case 'port closed':
      return html`The service cannot reach mail servers at the moment, because port 25 is closed. It tries again every minute. Results so far are kept.`;
    case 'slow down':
      return html`${name(wait.who)} asked the service to slow down: ${forSoLong(wait.until, now)}. ${addresses(wait.addresses)} ${wait.addresses === 1 ? 'waits' : 'wait'} for that.`;
    case 'retry':
      return sayRetry(wait, now);
    case 'behind others':
      return html`The batch waits for other batches. Each of them gets its turn.`;
    case 'beginning':
      return html`The next addresses start within seconds.`;
    case 'being verified':
      return html`${addresses(wait.addresses)} ${wait.addresses === 1 ? 'is' : 'are'} being verified. A mail server may take a minute to answer, and gets only a few requests at once.`;
  }
}

const MINUTE_MS = 60_000;
/** How many domains a sentence names. */
const MOST_DOMAINS = 3;

function sayRetry(
  { addresses: count, first, last, domains }: Extract<WaitingReason, { kind: 'retry' }>,
  now: Date,
): Html {
  const isOne = count === 1;
  const some = `${addresses(count)} ${isOne ? 'is' : 'are'} tried again`;
  const isSoon = (at: Date) => at.getTime() - now.getTime() < MINUTE_MS;
  let when = html`from ${moment(first)} to ${moment(last)}`;
  if (isSoon(last)) when = html`in less than a minute`;
  else if (isSoon(first)) when = html`between now and ${moment(last)}`;
  else if (last.getTime() - first.getTime() < MINUTE_MS) when = html`at ${moment(last)}`;
  const shown = domains.slice(0, MOST_DOMAINS);
  const more = domains.length - shown.length;
  const servers = [
    ...shown.map((domain) => html`<bdi>${domain}</bdi>`),
    ...(more > 0 ? [html`${counted(more, 'other domain')}`] : []),
  ].map((one, index, all) => html`${index > 0 && (index === all.length - 1 ? ' and ' : ', ')}${one}`);
  const whose = servers.length > 0 && html` of ${servers}`;
  return html`${some} ${when}, because the mail ${isOne ? 'server' : 'servers'}${whose} gave a temporary answer, as greylisting does.`;
}

const name = (text: string): Html => html`<bdi>${text}</bdi>`;

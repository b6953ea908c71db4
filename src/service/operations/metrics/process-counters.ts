/**
 * The metrics that this process counts. Labels never contain text from outside, only a few values from the code. Counts
 * per request are plain numbers until the next scrape, because a counter of the library takes half a microsecond.
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { MailOrganisation } from '../../../engine/providers.ts';
import type { Observation } from '../../../engine/smtp/mail-client.ts';
import { HELD_BACK } from '../../../engine/verdict.ts';
import type { Verified } from '../../../engine/verifier.ts';
import { REASONS, type Reason } from '../../../protocol/result.ts';
import { STATE_OF_REASON } from '../../../protocol/state-of-reason.ts';
import type { CreditListener } from '../../credits/credit-store.ts';
import type { PaymentOutcome } from '../../database/schema.ts';
import type { TryOutcome } from '../../webhooks/deliver-webhook.ts';
import { type CountRequest, createRequestTimes } from './request-times.ts';

type Mode = 'test' | 'live';
/** The origin of a verification: a request or a batch. */
type Source = 'request' | 'batch';

/** The parts of the process call these. They do not throw. */
export interface ProcessCounters {
  /** The route is the pattern, never the URL. */
  readonly onResponse: CountRequest;
  onVerified(mode: Mode, source: Source, verified: Verified): void;
  /** Called for an address at one mail host. */
  onAsked(organisation: Pick<MailOrganisation, 'provider'>, observation: Observation): void;
  onCallback(outcome: TryOutcome): void;
  onNotice(outcome: TryOutcome): void;
  onPayment(outcome: PaymentOutcome): void;
  readonly onCredits: CreditListener;
}

const VERIFICATION_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];
const SOURCES = ['request', 'batch'] as const;
const OUTCOMES: readonly TryOutcome[] = ['delivered', 'waiting', 'given up', 'given up unsent', 'lost'];
const PAYMENTS: readonly PaymentOutcome[] = ['credited', 'refused', 'malformed', 'given up'];

export function createProcessCounters(registry: Registry): ProcessCounters {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const onResponse = createRequestTimes(registry);
  const verifications = new Counter({
    name: 'evw_verifications_total',
    help: 'Verifications that ended with a result. The source is a request or a batch. A batch may verify an address several times.',
    labelNames: ['mode', 'source', 'state', 'reason'],
    registers,
    collect: () => drain(),
  });
  const heldBack = counter(
    'evw_verifications_held_back_total',
    'Live verifications without a conversation, because the limits for mail servers were used up. Batches try these addresses again.',
    ['source'],
  );
  const durations = new Histogram({
    name: 'evw_verification_duration_seconds',
    help: 'How long live verifications took, from the address to its result.',
    labelNames: ['source'],
    buckets: VERIFICATION_SECONDS,
    registers,
  });
  const conversations = counter(
    'evw_smtp_conversations_total',
    'Conversations with a mail server about an address. "other" is all providers that the service does not know.',
    ['provider', 'outcome'],
  );
  const callbacks = counter(
    'evw_callback_tries_total',
    'Tries of callbacks. "waiting": failed, and tried again later. "given_up": failed for the last time. "given_up_unsent": the time was over before a process sent it. "lost": the outcome was not recorded, for example because another process took the callback over.',
    ['outcome'],
  );
  const notices = counter(
    'evw_notice_tries_total',
    'Tries of notices, such as those of low credits. The outcomes are those of callbacks.',
    ['outcome'],
  );
  const payments = counter(
    'evw_payments_ended_total',
    'Payments that this process ended. "refused": your billing service refused. "malformed": it returned 200 without credits four times. "given_up": it did not respond for 24 hours.',
    ['outcome'],
  );
  const taken = counter(
    'evw_credits_taken_total',
    'Credits that this process took, by their reason in the ledger.',
    ['why'],
  );
  const givenBack = counter(
    'evw_credits_given_back_total',
    'Credits that this process gave back, by their reason in the ledger. Those of deleted batches are only in the ledger.',
    ['why'],
  );

  // An alert on the first event needs a 0 before it.
  for (const source of SOURCES) heldBack.inc({ source }, 0);
  for (const outcome of OUTCOMES)
    for (const tries of [callbacks, notices]) tries.inc({ outcome: nameOf(outcome) }, 0);
  for (const outcome of PAYMENTS) payments.inc({ outcome: nameOf(outcome) }, 0);
  for (const why of ['verification', 'batch']) taken.inc({ why }, 0);
  for (const why of ['refund', 'batch-refund']) givenBack.inc({ why }, 0);

  const counts = createCounts();
  function drain(): void {
    verifications.reset();
    for (const { mode, source, reason, count } of counts.all())
      verifications.inc({ mode, source, reason, state: STATE_OF_REASON[reason] }, count);
  }

  return {
    onResponse,
    onVerified(mode, source, { result, evidence }) {
      if (mode === 'live' && evidence.at(-1)?.rule === HELD_BACK) return heldBack.inc({ source });
      counts.add(mode, source, result.reason);
      if (mode === 'live') durations.observe({ source }, result.duration ?? 0);
    },
    onAsked({ provider = 'other' }, observation) {
      const outcome = observation.kind === 'answered' ? observation.reading.meaning : observation.kind;
      conversations.inc({ provider, outcome: nameOf(outcome) });
    },
    onCallback: (outcome) => callbacks.inc({ outcome: nameOf(outcome) }),
    onNotice: (outcome) => notices.inc({ outcome: nameOf(outcome) }),
    onPayment: (outcome) => payments.inc({ outcome: nameOf(outcome) }),
    onCredits(amount, why) {
      if (amount < 0) taken.inc({ why }, -amount);
      else givenBack.inc({ why }, amount);
    },
  };
}

/** The spelling of a value in Prometheus. */
export const nameOf = (words: string) => words.replace(/[ -]/g, '_');

/** Counts verifications as plain numbers. */
function createCounts() {
  const bySource = () => ({ request: byReason(), batch: byReason() });
  const byReason = () => Object.fromEntries(REASONS.map((reason) => [reason, 0])) as Record<Reason, number>;
  const counts = { test: bySource(), live: bySource() };
  return {
    add(mode: Mode, source: Source, reason: Reason) {
      counts[mode][source][reason] += 1;
    },
    /** The counts that are not 0. */
    all: () =>
      (['test', 'live'] as const).flatMap((mode) =>
        SOURCES.flatMap((source) =>
          REASONS.map((reason) => ({ mode, source, reason, count: counts[mode][source][reason] })).filter(
            ({ count }) => count > 0,
          ),
        ),
      ),
  };
}

/**
 * Gets credits from the operator's billing service when an account does not have enough. An account has one open payment
 * at most, whatever is asked for in whatever process. Requests that come meanwhile wait for it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { within } from '../../../shared/within.ts';
import type { BillingSettings } from '../../config/sections/billing-section.ts';
import { databaseFailure } from '../../database/database-failure.ts';
import { isUnavailable } from '../../database/unavailable.ts';
import { creditsMissing } from '../missing-credits.ts';
import type { UntilUnlocked } from '../unlocked.ts';
import { lookAtPayment, type Opened, openPayment, type PaymentState } from './payment-store.ts';
import { createPaymentTries, type PaymentTries, type PaymentTriesOptions } from './payment-tries.ts';
import {
  sayEnded,
  sayNotForPublicKeys,
  sayOpen,
  sayRefusedBefore,
  sayTooFew,
  sayTooMany,
} from './payment-words.ts';

/** How long a request waits for its payment, or for that of another request. */
const LONGEST_WAIT_MS = 15_000;
/** How often requests look at a payment of another process. */
const LOOK_EVERY_MS = 200;

/** A request that needs more credits. */
export interface MissingCredits {
  readonly accountId: string;
  /** The credits of the whole request. */
  readonly needed: number;
  readonly available: number;
  /** When the request first missed credits, by `performance.now()`. @default now */
  readonly since?: number | undefined;
  /** Whether the request has a public key. Its visitors cause no payments, unless the operator wants it. */
  readonly isPublic?: boolean | undefined;
}

export type BillingReply =
  /** Look at the credits again. If other requests were faster, ask again. */
  | { readonly kind: 'credited' }
  /** The message of the 402. */
  | { readonly kind: 'refused'; readonly message: string };

export interface Billing {
  /** Opens a payment or waits for the open one, for 15 seconds from `since`. After that, the payment goes on. */
  ask(missing: MissingCredits): Promise<BillingReply>;
}

export interface BillingOptions extends PaymentTriesOptions, Pick<BillingSettings, 'perDay' | 'publicKeys'> {
  readonly untilUnlocked: UntilUnlocked;
  /** How long a request waits. */
  readonly patienceMs?: number | undefined;
}

/** Each process has one. */
export type BillingOfProcess = Billing & Pick<PaymentTries, 'askAgain' | 'stop'>;

export function createBilling(options: BillingOptions): BillingOfProcess {
  const { db, processId, lease, untilUnlocked, perDay, publicKeys } = options;
  const { patienceMs = LONGEST_WAIT_MS } = options;
  const tries = createPaymentTries(options);
  const opening = new Map<string, { readonly needed: number; readonly opened: Promise<Opened> }>();
  const looks = new Map<string, Promise<PaymentState | undefined>>();

  /**
   * Simultaneous requests with equal needs share the way to the database. Others of the account follow in turn, so that
   * an account that is locked meanwhile takes one connection.
   *
   * @returns undefined if the request has gone before its turn
   */
  async function open({ accountId, needed }: MissingCredits, hasGone: () => boolean) {
    for (let other = opening.get(accountId); other; other = opening.get(accountId)) {
      if (other.needed === needed) return other.opened;
      // Its failure is not that of this request.
      await Promise.allSettled([other.opened]);
    }
    if (hasGone()) return undefined;
    const opened = begin(accountId, needed).finally(() => opening.delete(accountId));
    opening.set(accountId, { needed, opened });
    return opened;
  }

  /**
   * @returns undefined if the time is over meanwhile. A payment that the database opens after that goes on
   * @throws {Failure} 503 if nothing was opened because the account stayed locked, or the database said nothing
   */
  async function openBy(until: number, missing: MissingCredits): Promise<Opened | undefined> {
    const leftMs = () => until - performance.now();
    const unlocked = untilUnlocked(missing.accountId).then(() => true);
    if (!(await within(leftMs(), unlocked))) throw databaseFailure('limit');
    let hasGone = false;
    try {
      const opened = open(missing, () => hasGone);
      return await within(leftMs(), opened);
    } finally {
      hasGone = true;
    }
  }

  async function begin(accountId: string, needed: number): Promise<Opened> {
    await lease.expectHeld();
    const id = randomUUID();
    tries.hold(id);
    let opened: Opened | undefined;
    try {
      opened = await openPayment(db, processId, { id, accountId, needed, perDay });
      if (opened.kind === 'opened') tries.begin(opened.first);
      return opened;
    } finally {
      if (opened?.kind !== 'opened') tries.release(id);
    }
  }

  /** The payment a moment later. All requests of this process that wait for it share the look. */
  function lookAgain(id: string): Promise<PaymentState | undefined> {
    const shared = looks.get(id) ?? lookLater(id).finally(() => looks.delete(id));
    looks.set(id, shared);
    return shared;
  }

  async function lookLater(id: string): Promise<PaymentState | undefined> {
    const ended = tries.ofThisProcess(id);
    await (ended ? within(LOOK_EVERY_MS, ended) : pause(LOOK_EVERY_MS));
    return lookAtPayment(db, id);
  }

  /** @returns the last state before the request goes. Undefined if the account was deleted */
  async function waitFor(payment: PaymentState, until: number): Promise<PaymentState | undefined> {
    const failed = failedTries(payment);
    let state: PaymentState | undefined = payment;
    while (state?.outcome === null) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) return state;
      // One failed try is enough of waiting. The next one may be minutes away.
      if (!state.is_tried && (failedTries(state) > failed || state.due_in_ms > leftMs)) return state;
      try {
        const looked = await within(leftMs, lookAgain(payment.id), 'late' as const);
        if (looked === 'late') return state;
        state = looked;
      } catch (error) {
        // The database may come back while the request waits.
        if (!isUnavailable(error)) throw error;
      }
    }
    return state;
  }

  async function ask(missing: MissingCredits): Promise<BillingReply> {
    const { needed, since = performance.now() } = missing;
    const until = since + patienceMs;
    const refused = (message: string): BillingReply => ({ kind: 'refused', message });
    if (missing.isPublic && !publicKeys) return refused(sayNotForPublicKeys(missing));
    while (performance.now() < until) {
      const opened = await openBy(until, missing);
      if (!opened) return refused(sayOpen(missing, { malformed: 0 }));
      if (opened.kind === 'not needed') return CREDITED;
      if (opened.kind === 'too many')
        return refused(sayTooMany({ needed, available: opened.available }, perDay, opened.until));
      const { payment } = opened;
      if (opened.kind === 'refused') return refused(sayRefusedBefore(missing, payment, opened.pauseMs));
      const state = await waitFor(payment, until);
      if (!state) return CREDITED;
      const { outcome, credits } = state;
      if (outcome === null) return refused(sayOpen(missing, state));
      if (outcome === 'credited') {
        const available = payment.available + credits!;
        const isEnough = opened.kind === 'joined' || available >= needed;
        return isEnough ? CREDITED : refused(sayTooFew({ needed, available }));
      }
      // What was refused for less is refused for more. Billing may still grant less than it has refused.
      if (payment.needed <= needed) return refused(sayEnded(missing, state));
    }
    // Other requests have used up what was added, again and again.
    return refused(creditsMissing(missing).message);
  }

  return { ask, askAgain: tries.askAgain, stop: tries.stop };
}

const CREDITED = { kind: 'credited' } as const;

const failedTries = ({ tries, is_tried }: PaymentState): number => tries - (is_tried ? 1 : 0);

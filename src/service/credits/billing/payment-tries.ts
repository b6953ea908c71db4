/**
 * Makes the tries of payments. Any process with billing asks again for a payment whose answer was lost: because nothing
 * came in time, the database was away, or the process died. Each try has the same `webhook-id`, so billing charges once.
 */
import { within } from '../../../shared/within.ts';
import { keepTrying } from '../../core/keep-trying.ts';
import { describeError, type Log } from '../../core/log.ts';
import type { Db, PaymentOutcome } from '../../database/schema.ts';
import { type BillingPlace, createAsk } from './ask-billing.ts';
import { claimPayments, creditPayment, failTry, type PaymentTry, refusePayment } from './payment-store.ts';

/** How many tries a process begins beside those that run. A silent billing service holds each for 15 seconds. */
const MOST_AT_ONCE = 100;
/** How long stopping waits for billing, and then for the database. */
const LONGEST_STOP_MS = 2_000;
const LONGEST_RECORD_MS = 3_000;

export interface PaymentTriesOptions extends BillingPlace {
  readonly db: Db;
  readonly log: Log;
  readonly processId: string;
  /** The right of this process to begin a payment or a try. */
  readonly lease: { isHeld(): boolean; expectHeld(): Promise<void> };
  /** Called with the end of each payment that this process has ended. */
  readonly onEnded?: ((outcome: PaymentOutcome) => void) | undefined;
}

export type PaymentTries = ReturnType<typeof createPaymentTries>;

export function createPaymentTries(options: PaymentTriesOptions) {
  const { db, log, processId, lease, onEnded } = options;
  const stopped = new AbortController();
  const ask = createAsk(options, stopped.signal);
  const held = new Set<string>();
  const running = new Map<string, Promise<void>>();

  /** Makes a try of a payment that this process holds. */
  function begin(payment: PaymentTry): void {
    const { id } = payment;
    held.add(id);
    const run = makeTry(payment).finally(() => {
      held.delete(id);
      running.delete(id);
    });
    running.set(id, run);
  }

  async function makeTry(payment: PaymentTry): Promise<void> {
    const { id, account, tries } = payment;
    const answer = await ask(payment);
    const details = { payment: id, try: tries };
    const isCutOff = stopped.signal.aborted;
    if (answer.kind !== 'credits' && !isCutOff)
      log('warn', 'billing failed', { ...details, kind: answer.kind, ...answer.why });
    // What billing has answered is not thrown away. If this process dies, another one asks again.
    const outcome = await keepTrying(
      () => record(payment, answer, isCutOff),
      stopped.signal,
      (error) => log('error', 'payment not recorded', { ...details, ...describeError(error) }),
    );
    if (outcome === undefined) return;
    const level = outcome === 'credited' ? 'info' : outcome === 'refused' ? 'warn' : 'error';
    log(level, 'payment ended', { ...details, account, outcome });
    onEnded?.(outcome);
  }

  /** @returns the end of the payment, if this process has ended it */
  async function record(
    payment: PaymentTry,
    answer: Awaited<ReturnType<typeof ask>>,
    isCutOff: boolean,
  ): Promise<PaymentOutcome | undefined> {
    switch (answer.kind) {
      case 'credits': {
        const credited = await creditPayment(db, payment, answer.credits);
        if (credited === 'booked') return 'credited';
        if (credited === 'too many') return failTry(db, processId, payment, 'malformed');
        // The money was taken, and there is nobody to give the credits to.
        if (credited === 'gone')
          log('error', 'payment of deleted account', { payment: payment.id, account: payment.account });
        return undefined;
      }
      case 'refused':
        return (await refusePayment(db, processId, payment, answer.message)) ? 'refused' : undefined;
      default:
        return failTry(db, processId, payment, isCutOff ? 'cut off' : answer.kind);
    }
  }

  return {
    /** Call it before a payment of this id is opened, so that `askAgain` leaves it alone. */
    hold: (id: string) => void held.add(id),
    /** Lets go of a payment that was not opened. */
    release: (id: string) => void held.delete(id),
    begin,
    /** Resolves when the try of this process has ended. Undefined if it makes none. */
    ofThisProcess: (id: string) => running.get(id),
    /** Begins the tries that are due. Call it about once a second. */
    async askAgain(): Promise<void> {
      const most = MOST_AT_ONCE - running.size;
      if (most <= 0 || stopped.signal.aborted || !lease.isHeld()) return;
      for (const payment of await claimPayments(db, processId, [...held], most)) begin(payment);
    },
    /** Waits briefly for billing, and leaves the rest to other processes. */
    async stop(graceMs: number): Promise<void> {
      await within(Math.min(graceMs, LONGEST_STOP_MS), Promise.all(running.values()));
      stopped.abort();
      await within(LONGEST_RECORD_MS, Promise.all(running.values()));
    },
  };
}

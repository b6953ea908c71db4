/** One try of a claimed message, from its body to recording the outcome. */
import { Webhook } from 'standardwebhooks';
import { keepTrying } from '../core/keep-trying.ts';
import { describeError } from '../core/log.ts';
import { webhookHeaders } from '../core/webhook-signature.ts';
import { isUnavailable } from '../database/unavailable.ts';
import type { Deps } from '../deps/deps.ts';
import { findCallbackSecrets } from '../people/accounts/account-store.ts';
import { FAULT } from './explain-webhook.ts';
import { failed, type Message, type Sent, type WebhookResponse } from './send-webhook.ts';
import type { WebhookQueue } from './webhook-queue.ts';
import type { ClaimedTry, StateAfterTry } from './webhook-store.ts';

/**
 * How a try ended. `waiting`: it failed, and another one follows. `lost`: what it tells of is gone, another process took
 * over the message, or the outcome was not recorded before the process ended. `given up unsent`: its time ended before
 * any process could send it.
 */
export type TryOutcome = StateAfterTry | 'lost' | 'given up unsent';

export type DeliverDeps = Pick<Deps, 'db' | 'log' | 'processId' | 'settings' | 'publicUrl'>;

export interface Delivery<Claimed extends ClaimedTry> {
  readonly queue: WebhookQueue<Claimed>;
  readonly send: (message: Message) => Sent;
  /** Aborts when the process ends. */
  readonly signal: AbortSignal;
  /** Whether no more messages may be sent. */
  readonly isStopping: () => boolean;
  readonly onTried?: ((outcome: TryOutcome) => void) | undefined;
}

/**
 * Resolves when the try is recorded, or needs no record.
 *
 * @returns a promise that resolves when the connection is closed
 */
export async function deliver<Claimed extends ClaimedTry>(
  deps: DeliverDeps,
  delivery: Delivery<Claimed>,
  claimed: Claimed,
): Promise<{ readonly closed: Promise<void> }> {
  const began = performance.now();
  const { answer, closed } = (await begin(deps, delivery, claimed)) ?? NOTHING_SENT;
  const ended = await answer;
  if (ended) await record(deps, delivery, claimed, ended, Math.round(performance.now() - began));
  // The promise is wrapped, because an async function would wait for it.
  return { closed };
}

const NOTHING_SENT = { answer: undefined, closed: Promise.resolve() };

/** @returns undefined if the try was not sent for a temporary reason. The worker makes the message due again. */
async function begin<Claimed extends ClaimedTry>(
  deps: DeliverDeps,
  { queue, isStopping, send }: Delivery<Claimed>,
  claimed: Claimed,
): Promise<Sent | undefined> {
  try {
    const message = await compose(deps, queue, claimed);
    return message && !isStopping() ? send(message) : undefined;
  } catch (error) {
    deps.log('error', queue.events.notSent, describeError(error));
    // A bug of the service may recur, so it counts as a try.
    return isUnavailable(error) ? undefined : failed(FAULT);
  }
}

/** @returns undefined if what it tells of is gone */
async function compose<Claimed extends ClaimedTry>(
  deps: DeliverDeps,
  queue: WebhookQueue<Claimed>,
  claimed: Claimed,
): Promise<Message | undefined> {
  const { account_id, message_id, tried_at, url } = claimed;
  const secrets = await findCallbackSecrets(deps.db, account_id);
  const value = await queue.compose(deps, claimed);
  if (secrets.length === 0 || value === undefined) return undefined;
  const body = JSON.stringify(value);
  const webhooks = secrets.map((secret) => new Webhook(secret));
  return { url, body, headers: webhookHeaders(webhooks, message_id, tried_at, body) };
}

async function record<Claimed extends ClaimedTry>(
  { db, log, processId, settings }: DeliverDeps,
  { queue, signal, onTried }: Delivery<Claimed>,
  claimed: Claimed,
  answer: WebhookResponse,
  durationMs: number,
): Promise<void> {
  const state = await keepTrying(
    () => queue.endTry(db, processId, claimed, { ...answer, durationMs }, settings.durations),
    signal,
    (error) => log('warn', queue.events.notRecorded, describeError(error)),
  );
  onTried?.(state ?? 'lost');
  // The rest of the URL may contain a secret of the owner.
  const { host } = new URL(claimed.url);
  log(answer.error === null ? 'info' : 'warn', queue.events.tried, {
    ...queue.nameOf(queue.idOf(claimed)),
    ...{ host, number: claimed.attempt, state: state ?? 'lost', durationMs },
    ...(answer.status !== null && { status: answer.status }),
    ...(answer.error !== null && { reason: answer.error }),
  });
}

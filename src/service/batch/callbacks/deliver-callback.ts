/** One try of a claimed callback, from reading the batch to recording the outcome. */
import { Webhook } from 'standardwebhooks';
import { describeError } from '../../core/log.ts';
import { webhookHeaders } from '../../core/webhook.ts';
import { isUnavailable } from '../../database/unavailable.ts';
import type { Deps } from '../../deps/deps.ts';
import { keepTrying } from '../../jobs/keep-trying.ts';
import { findCallbackSecrets } from '../../people/accounts/account-store.ts';
import { readStatus } from '../batch-status.ts';
import { type ClaimedCallback, endTry, type StateAfterTry } from './callback-store.ts';
import { FAULT } from './explain-callback.ts';
import { type CallbackResponse, failed, type Message, type Sent } from './send-callback.ts';

/**
 * How a try ended. `waiting`: it failed, and another one follows. `lost`: the batch was deleted, another process took
 * over the callback, or the outcome was not recorded before the process ended. `given up unsent`: its time ended before
 * any process could send it.
 */
export type TryOutcome = StateAfterTry | 'lost' | 'given up unsent';

export type DeliverDeps = Pick<Deps, 'db' | 'log' | 'processId' | 'settings' | 'publicUrl'>;

export interface Delivery {
  readonly send: (message: Message) => Sent;
  /** Aborts when the process ends. */
  readonly signal: AbortSignal;
  /** Whether no more callbacks may be sent. */
  readonly isStopping: () => boolean;
  readonly onTried?: ((outcome: TryOutcome) => void) | undefined;
}

/**
 * Resolves when the try is recorded, or needs no record.
 *
 * @returns a promise that resolves when the connection is closed
 */
export async function deliver(
  deps: DeliverDeps,
  delivery: Delivery,
  callback: ClaimedCallback,
): Promise<{ readonly closed: Promise<void> }> {
  const began = performance.now();
  const { answer, closed } = (await begin(deps, delivery, callback)) ?? NOTHING_SENT;
  const ended = await answer;
  if (ended) await record(deps, delivery, callback, ended, Math.round(performance.now() - began));
  // The promise is wrapped, because an async function would wait for it.
  return { closed };
}

const NOTHING_SENT = { answer: undefined, closed: Promise.resolve() };

/** @returns undefined if the try was not sent for a temporary reason. The worker makes the callback due again. */
async function begin(
  deps: DeliverDeps,
  { isStopping, send }: Delivery,
  callback: ClaimedCallback,
): Promise<Sent | undefined> {
  try {
    const message = await compose(deps, callback);
    return message && !isStopping() ? send(message) : undefined;
  } catch (error) {
    deps.log('error', 'callback not sent', describeError(error));
    // A bug of the service may recur, so it counts as a try.
    return isUnavailable(error) ? undefined : failed(FAULT);
  }
}

/** The body is what GET returns at this moment. @returns undefined if the batch was deleted */
async function compose(
  { db, publicUrl }: DeliverDeps,
  callback: ClaimedCallback,
): Promise<Message | undefined> {
  const { account_id, batch_id, message_id, tried_at, url } = callback;
  const secrets = await findCallbackSecrets(db, account_id);
  const status = await readStatus(db, account_id, batch_id, false, publicUrl.known);
  if (secrets.length === 0 || !status) return undefined;
  const body = JSON.stringify(status);
  const webhooks = secrets.map((secret) => new Webhook(secret));
  return { url, body, headers: webhookHeaders(webhooks, message_id, tried_at, body) };
}

async function record(
  { db, log, processId, settings }: DeliverDeps,
  { signal, onTried }: Delivery,
  callback: ClaimedCallback,
  answer: CallbackResponse,
  durationMs: number,
): Promise<void> {
  const state = await keepTrying(
    () => endTry(db, processId, callback, { ...answer, durationMs }, settings.durations),
    signal,
    (error) => log('warn', 'try of a callback not recorded yet', describeError(error)),
  );
  onTried?.(state ?? 'lost');
  // The rest of the URL may contain a secret of the owner.
  const { host } = new URL(callback.url);
  log(answer.error === null ? 'info' : 'warn', 'callback', {
    batch: callback.batch_id,
    host,
    number: callback.attempt,
    state: state ?? 'lost',
    durationMs,
    ...(answer.status !== null && { status: answer.status }),
    ...(answer.error !== null && { reason: answer.error }),
  });
}

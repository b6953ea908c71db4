/** One try of a claimed callback, from reading the batch to recording the outcome. */
import { Webhook } from 'standardwebhooks';
import { describeError, type Log } from '../../core/log.ts';
import { webhookHeaders } from '../../core/webhook.ts';
import type { Db } from '../../database/schema.ts';
import { isUnavailable } from '../../database/unavailable.ts';
import { keepTrying } from '../../jobs/keep-trying.ts';
import { findCallbackSecrets } from '../../people/accounts/account-store.ts';
import { readStatus } from '../batch-status.ts';
import { type CallbackSchedule, type ClaimedCallback, endTry, type StateAfterTry } from './callback-store.ts';
import { FAULT } from './explain-callback.ts';
import { type CallbackResponse, failed, type Message, type Sent } from './send-callback.ts';

/**
 * How a try ended. `waiting`: it failed, and another one follows. `lost`: the batch was deleted, another process took
 * over the callback, or the outcome was not recorded before the process ended. `given up unsent`: its time ended before
 * any process could send it.
 */
export type TryOutcome = StateAfterTry | 'lost' | 'given up unsent';

export interface DeliverOptions {
  readonly db: Db;
  readonly processId: string;
  readonly schedule: CallbackSchedule;
  /** The base of links. */
  readonly publicUrl: Promise<string>;
  readonly log: Log;
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
  options: DeliverOptions,
  callback: ClaimedCallback,
): Promise<{ readonly closed: Promise<void> }> {
  const began = performance.now();
  const { answer, closed } = (await begin(options, callback)) ?? NOTHING_SENT;
  const ended = await answer;
  if (ended) await record(options, callback, ended, Math.round(performance.now() - began));
  // The promise is wrapped, because an async function would wait for it.
  return { closed };
}

const NOTHING_SENT = { answer: undefined, closed: Promise.resolve() };

/** @returns undefined if the try was not sent for a temporary reason. The worker makes the callback due again. */
async function begin(options: DeliverOptions, callback: ClaimedCallback): Promise<Sent | undefined> {
  try {
    const message = await compose(options, callback);
    return message && !options.isStopping() ? options.send(message) : undefined;
  } catch (error) {
    options.log('error', 'callback not sent', describeError(error));
    // A bug of the service may recur, so it counts as a try.
    return isUnavailable(error) ? undefined : failed(FAULT);
  }
}

/** The body is what GET returns at this moment. @returns undefined if the batch was deleted */
async function compose(
  { db, publicUrl }: DeliverOptions,
  callback: ClaimedCallback,
): Promise<Message | undefined> {
  const { account_id, batch_id, message_id, tried_at, url } = callback;
  const secrets = await findCallbackSecrets(db, account_id);
  const status = await readStatus(db, account_id, batch_id, false, publicUrl);
  if (secrets.length === 0 || !status) return undefined;
  const body = JSON.stringify(status);
  const webhooks = secrets.map((secret) => new Webhook(secret));
  return { url, body, headers: webhookHeaders(webhooks, message_id, tried_at, body) };
}

async function record(
  { db, processId, schedule, log, signal, onTried }: DeliverOptions,
  callback: ClaimedCallback,
  answer: CallbackResponse,
  durationMs: number,
): Promise<void> {
  const state = await keepTrying(
    () => endTry(db, processId, callback, { ...answer, durationMs }, schedule),
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

/** Completed batches with callbacks, and processes that send them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { onTestFinished, vi } from 'vitest';
import { completeBatch, storeResults } from '../../../src/service/batch/batch-store.ts';
import { BATCH_CALLBACKS } from '../../../src/service/batch/callbacks/batch-callbacks.ts';
import { type Callback, readCallback } from '../../../src/service/batch/callbacks/callback-store.ts';
import { toBatchResult } from '../../../src/service/batch/result-fields.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import type { Deps } from '../../../src/service/deps/deps.ts';
import { removeProcess } from '../../../src/service/jobs/process-store.ts';
import type { WebhookQueue } from '../../../src/service/webhooks/webhook-queue.ts';
import type { ClaimedTry } from '../../../src/service/webhooks/webhook-store.ts';
import {
  startWebhookWorker,
  type WebhookWorkerOptions,
} from '../../../src/service/webhooks/webhook-worker.ts';
import { makeAccount } from './account.ts';
import { storeBatch } from './batch.ts';
import { DEPS, settingsWith } from './deps.ts';
import { PATIENTLY } from './patience.ts';
import { addProcess } from './process.ts';
import { resultOf } from './result.ts';

export interface CompletedBatch {
  readonly id: string;
  readonly accountId: string;
  read(): Promise<Callback>;
  /** Waits for the callback to be in this state. */
  until(state: Callback['state']): Promise<Callback>;
}

/** A completed batch of one address. Its callback is due. */
export async function completeWithCallback(
  db: Db,
  url: string,
  options: { accountId?: string; size?: number } = {},
): Promise<CompletedBatch> {
  const accountId = options.accountId ?? (await makeAccount(db));
  const id = randomBytes(12).toString('hex');
  const addresses = Array.from({ length: options.size ?? 1 }, (_, place) => `u${place}@shop.example`);
  await db.transaction().execute(async (transaction) => {
    await storeBatch(transaction, accountId, addresses, { id, mode: 'test', url });
    const results = addresses.map((address, place) => ({ place, result: toBatchResult(resultOf(address)) }));
    await storeResults(transaction, id, results);
    await completeBatch(transaction, id, DEPS.settings.durations);
  });
  const read = async () => (await readCallback(db, accountId, id))!;
  return {
    ...{ id, accountId, read },
    until: (state) =>
      vi.waitFor(async () => {
        const callback = await read();
        if (callback.state !== state) throw new Error(`Expected ${state}, got ${JSON.stringify(callback)}`);
        return callback;
      }, PATIENTLY),
  };
}

/** Moves the times of a batch into the past, instead of waiting. */
export async function letPass(db: Db, id: string, seconds: number): Promise<void> {
  await sql`
    with batch as (
      update batches set completed_at = completed_at - make_interval(secs => ${seconds}) where id = ${id}
    )
    update callbacks set due_at = due_at - make_interval(secs => ${seconds}),
      made_at = made_at - make_interval(secs => ${seconds})
    where batch_id = ${id}
  `.execute(db);
}

type Sending = Partial<Deps> & WebhookWorkerOptions;

/** A worker like that of a process. It ends with the test. */
export const sendCallbacks = (db: Db, options?: Sending) => sendWebhooks(db, BATCH_CALLBACKS, options);

/** A worker of either queue. */
export async function sendWebhooks<Claimed extends ClaimedTry>(
  db: Db,
  queue: WebhookQueue<Claimed>,
  options: Sending = {},
) {
  const { processId = randomUUID() } = options;
  await addProcess(db, processId);
  const logged: unknown[][] = [];
  const worker = startWebhookWorker(
    {
      ...{ ...DEPS, db, processId, settings: settingsWith({ callbacks: { allowPrivateAddresses: true } }) },
      log: (...event) => void logged.push(event),
      ...options,
    },
    queue,
    { lookEveryMs: 30, ...options },
  );
  let stopping: Promise<void> | undefined;
  const stop = (graceMs = 0) => {
    stopping ??= worker.stop(graceMs).then(() => removeProcess(db, processId));
    return stopping;
  };
  onTestFinished(() => stop());
  return { ...worker, stop, processId, logged };
}

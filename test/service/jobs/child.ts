/**
 * A process for tests: it has a lease, and at the same time verifies for a request, works on batches and sends
 * callbacks. Each verification says that it begins, and waits for a line.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { BATCH_CALLBACKS } from '../../../src/service/batch/callbacks/batch-callbacks.ts';
import { startBatchWorker } from '../../../src/service/batch/live/batch-worker.ts';
import { createLiveVerifications } from '../../../src/service/verify/live/live-verifications.ts';
import { startWebhookWorker } from '../../../src/service/webhooks/webhook-worker.ts';
import { openChild, write } from '../support/child.ts';
import { DEPS, settingsWith } from '../support/deps.ts';
import { resultOf } from '../support/result.ts';

const accountId = process.env.ACCOUNT_ID!;
const settings = settingsWith({ callbacks: { allowPrivateAddresses: true } });
const deps = { ...DEPS, ...(await openChild()), settings };
const told = once(createInterface({ input: process.stdin }), 'line');

const verifier: Verifier = async ({ address }) => {
  write({ begins: address });
  await told;
  return { result: resultOf(address, 'undeliverable'), evidence: [] };
};
startBatchWorker(deps, { verifier, lookEveryMs: 50 });
startWebhookWorker(deps, BATCH_CALLBACKS, {
  lookEveryMs: 50,
  onTried: (outcome) => write({ callback: outcome }),
});
const live = createLiveVerifications(deps, { verifier });
const question = { accountId, address: 'request@example.com', smtp: true, acceptAll: false };
const answer = await live.verify({ ...question, timeoutMs: 3_600_000 });
write({ request: answer.kind });

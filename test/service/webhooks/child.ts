/** A process for tests: it sends callbacks and notices, and writes a line when it works. */
import { BATCH_CALLBACKS } from '../../../src/service/batch/callbacks/batch-callbacks.ts';
import { NOTICES } from '../../../src/service/notices/notice-queue.ts';
import { startWebhookWorker } from '../../../src/service/webhooks/webhook-worker.ts';
import { openChild, write } from '../support/child.ts';
import { DEPS, settingsWith } from '../support/deps.ts';

const settings = settingsWith({ callbacks: { allowPrivateAddresses: true } });
const deps = { ...DEPS, ...(await openChild()), settings };
startWebhookWorker(deps, BATCH_CALLBACKS, { lookEveryMs: 50 });
startWebhookWorker(deps, NOTICES, { lookEveryMs: 50 });
write('working');

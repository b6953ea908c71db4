/** Three roles that do everything once that metrics tell of, and the figures that they return. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { settleLive } from '../../../../src/service/config/sections/live-section.ts';
import type { Role } from '../../../../src/service/config/sections/role-section.ts';
import { createMetrics } from '../../../../src/service/operations/metrics/metrics.ts';
import { deadlineAfter } from '../../../../src/service/verify/live/deadline.ts';
import { postBatch, prepareRoles, type RoleProcess, readBatch } from '../../roles/processes.ts';
import type { TestDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { startReceiver, status } from '../../support/receiver.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { parseText, type Sample } from './scrape.ts';

export interface Measured extends RoleProcess {
  /** What a scrape returns. */
  figures(): Promise<{ text: string; samples: Sample[] }>;
}

export interface ScriptedRun {
  readonly all: Measured;
  readonly web: Measured;
  readonly worker: Measured;
}

/** Everything ends with the test. */
export async function runScript(database: TestDatabase): Promise<ScriptedRun> {
  const { run, makeKey, world, config } = await prepareRoles(database, {
    'good.test': { mailboxes: ['jo@good.test', ...addresses] },
    'busy.test': { banner: '554 5.7.1 No' },
  });
  onTestFinished(() => world.close());
  const listsFolder = makeTemporaryFolder('lists-');
  onTestFinished(() => rmSync(listsFolder, { recursive: true }));
  writeFileSync(join(listsFolder, 'disposable.txt'), 'trash.test\n');
  const live = settleLive({ ...config.live, listsFolder }, '/');
  const start = async (role: Role): Promise<Measured> => {
    const metrics = createMetrics({ role, version: '1', keepMs: 0, patienceMs: PATIENTLY.timeout });
    const process = await run(role, {
      ...{ metrics, live, keys: [{ key: 'test_config', kind: 'private' }] },
      // Longer than the five seconds of a request, which a busy machine takes.
      deadlineAfter: () => deadlineAfter(PATIENTLY.timeout),
    });
    const figures = async () => {
      const text = await metrics.read();
      return { text, samples: parseText(text) };
    };
    return { ...process, figures };
  };
  const [all, web, worker] = [await start('all'), await start('web'), await start('worker')];
  for (const one of [all, web, worker]) await one.untilReady();
  const { headers } = await makeKey(100);
  for (const one of [all, web]) {
    for (const email of ['jo@good.test', 'nobody@good.test', 'jo@busy.test', 'not an address']) {
      await fetch(`${one.address}/v1/verify?email=${encodeURIComponent(email)}`, { headers });
    }
    await fetch(`${one.address}/v1/verify?api_key=test_config&email=risky@example.com`);
    await fetch(`${one.address}/v1/nothing`);
  }
  const receivers = [await startReceiver(), await startReceiver(status(500))];
  for (const { url } of receivers) {
    const id = await postBatch(all, headers, [...addresses, 'jo@busy.test'], { url, retries: false });
    await vi.waitFor(async () => {
      const { message } = await readBatch(all, headers, id);
      if (message !== 'Batch verification completed.') throw new Error(message);
    }, PATIENTLY);
  }
  for (const receiver of receivers) await receiver.until(1);
  return { all, web, worker };
}

const addresses = Array.from({ length: 20 }, (_, place) => `u${place}@good.test`);

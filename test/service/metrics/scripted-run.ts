/** Three processes that do everything once that metrics tell of, and the figures that they return. */
import { onTestFinished, vi } from 'vitest';
import { postBatch, prepareRoles, type RoleProcess, readBatch } from '../roles/processes.ts';
import type { TestDatabase } from '../support/database.ts';
import { startReceiver, status } from '../support/receiver.ts';
import { metricsUrlOf, type Sample, scrape } from './scrape.ts';

export interface ScriptedRun {
  readonly all: RoleProcess;
  readonly web: RoleProcess;
  readonly worker: RoleProcess;
  /** The figures of a process. */
  figures(of: RoleProcess): Promise<{ text: string; samples: Sample[] }>;
}

/** Everything ends with the test. */
export async function runScript(database: TestDatabase): Promise<ScriptedRun> {
  const { start, makeKey, world } = await prepareRoles(database, {
    'good.test': { mailboxes: ['jo@good.test', ...addresses] },
    'busy.test': { banner: '554 5.7.1 No' },
  });
  onTestFinished(() => world.close());
  const more = { metrics: { port: 0 }, keys: [{ key: 'test_config', kind: 'private' }] };
  const [all, web, worker] = await Promise.all([
    start('all', more),
    start('web', more),
    start('worker', more),
  ]);
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
    await vi.waitFor(
      async () => {
        const { message } = await readBatch(all, headers, id);
        if (message !== 'Batch verification completed.') throw new Error(message);
      },
      { timeout: 20_000 },
    );
  }
  for (const receiver of receivers) await receiver.until(1, 10_000);
  return { all, web, worker, figures: (of) => scrape(metricsUrlOf(of.errors())) };
}

const addresses = Array.from({ length: 20 }, (_, place) => `u${place}@good.test`);

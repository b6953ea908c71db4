/**
 * SIGTERM in each role, in the middle of everything: a batch runs, receivers of callbacks are silent, and a verification
 * goes on after its 249. It ends within 15 seconds, also without the database, and nothing is lost or charged twice.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silence, wait } from '../../engine/world/mail-server.ts';
import { creditsOf } from '../support/account.ts';
import { rowsOf } from '../support/batch.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { createTestDatabase } from '../support/database.ts';
import { bringBack, takeAway } from '../support/outage.ts';
import { silence as silentReceiver, startReceiver } from '../support/receiver.ts';
import { postBatch, prepareRoles, readBatch } from './processes.ts';

vi.setConfig({ testTimeout: 90_000 });

const LONGEST_STOP_MS = 15_000;
const SIZE = 50;
const addresses = Array.from({ length: SIZE }, (_, place) => `u${place}@slow.test`);

async function open() {
  const database = await createTestDatabase();
  const roles = await prepareRoles(database, {
    'slow.test': { rcpt: [wait(700), '250 OK'] },
    'mute.test': { rcpt: silence },
  });
  onTestFinished(async () => {
    await roles.world.close();
    await database.drop();
  });
  return { database, ...roles };
}

describe.each([
  ['with the database', false],
  ['without the database', true],
])('%s', (_, isAway) => {
  it.each(['web', 'worker', 'all'] as const)('ends as %s, and others go on with its work', async (role) => {
    const { database, world, start, makeKey } = await open();
    const { db } = database;
    const { headers, accountId } = await makeKey(1_000);
    // What requests a worker's test needs are answered by another process.
    const stopped = await start(role);
    const front = role === 'worker' ? await start('web') : stopped;
    await Promise.all([stopped.untilReady(), front.untilReady()]);
    const receiver = await startReceiver(silentReceiver);
    const callback = await completeWithCallback(db, receiver.url);
    const id = await postBatch(front, headers, addresses);
    if (role !== 'web') {
      await world.server('slow.test').whenSent(/^RCPT/i);
      await receiver.until(1, 10_000);
    }
    const pending =
      role === 'worker'
        ? undefined
        : await fetch(`${stopped.address}/v1/verify?email=jo@mute.test&timeout=2`, { headers });
    if (pending) expect(pending.status).toBe(249);
    if (isAway) await takeAway(database);
    const { code, tookMs } = await stopped.stop();
    expect([code, tookMs < LONGEST_STOP_MS]).toEqual([0, true]);
    if (isAway) await bringBack(database);
    else if (role !== 'web') {
      // It has put back what it had claimed, and signed off.
      expect((await rowsOf(db, id)).filter(({ process_id }) => process_id)).toEqual([]);
      expect((await callback.read()).state).toBe('waiting');
    }

    const others = await start('all');
    await others.untilReady();
    await vi.waitFor(
      async () =>
        expect(await readBatch(others, headers, id)).toMatchObject({
          message: 'Batch verification completed.',
          total_counts: { deliverable: SIZE, processed: SIZE },
        }),
      { timeout: 45_000, interval: 100 },
    );
    // The credit of the 249 comes back, by the process itself or by another one.
    await expect.poll(() => creditsOf(db, accountId), { timeout: 20_000 }).toBe(1_000 - SIZE);
    const running = db.selectFrom('verifications').select('id').where('state', '=', 'running');
    expect(await running.execute()).toEqual([]);
    expect(stopped.errors()).not.toContain('uncaught');
  });
});

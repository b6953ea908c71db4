/**
 * The end of each role, in the middle of everything: a batch runs, receivers of callbacks are silent, and a verification
 * goes on after its 249. It ends, also without the database, and nothing is lost or charged twice. `../app/stop.test.ts` shows
 * that this takes 15 seconds at most.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Role } from '../../../src/service/config/sections/role-section.ts';
import { silence, wait } from '../../engine/world/mail-server.ts';
import { rounds } from '../../long.mjs';
import { creditsOf } from '../support/account.ts';
import { rowsOf } from '../support/batch.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { testDatabase } from '../support/database.ts';
import { bringBack, takeAway } from '../support/outage.ts';
import { PATIENTLY } from '../support/patience.ts';
import { silenceAll } from '../support/process.ts';
import { silence as silentReceiver, startReceiver } from '../support/receiver.ts';
import { postBatch, prepareRoles, readBatch } from './processes.ts';

const SIZE = rounds(20, 50);
const addresses = Array.from({ length: SIZE }, (_, place) => `u${place}@slow.test`);
const ROLES = ['web', 'worker', 'all'] as const;

async function open() {
  const database = await testDatabase(onTestFinished);
  const roles = await prepareRoles(database, {
    'slow.test': { rcpt: [wait(rounds(50, 200)), '250 OK'] },
    'mute.test': { rcpt: silence },
  });
  onTestFinished(() => roles.world.close());
  return { database, ...roles };
}

interface Stop {
  readonly role: Role;
  readonly isAway: boolean;
  /** Whether it is a process, which gets SIGTERM. */
  readonly isProcess: boolean;
  /** Whether a verification goes on after its 249. A process waits for it until its time is over. */
  readonly hasPending: boolean;
}

async function stopInTheMiddle({ role, isAway, isProcess, hasPending }: Stop): Promise<void> {
  const { database, world, start, run, makeKey } = await open();
  const { db } = database;
  const { headers, accountId } = await makeKey(1_000);
  const stopped = await (isProcess ? start(role) : run(role));
  // What requests a worker's test needs are answered by another process.
  const front = role === 'worker' ? await run('web') : stopped;
  await Promise.all([stopped.untilReady(), front.untilReady()]);
  const receiver = await startReceiver(silentReceiver);
  const callback = await completeWithCallback(db, receiver.url);
  const id = await postBatch(front, headers, addresses);
  if (role !== 'web') {
    await world.server('slow.test').whenSent(/^RCPT/i);
    await receiver.until(1);
  }
  if (hasPending && role !== 'worker') {
    const url = `${stopped.address}/v1/verify?email=jo@mute.test&timeout=2`;
    // A process answers 503 if the database of a busy machine does not begin the verification in time.
    await vi.waitFor(async () => expect((await fetch(url, { headers })).status).toBe(249), PATIENTLY);
  }
  if (isAway) await takeAway(database);
  expect(await stopped.stop()).toBe(0);
  if (isAway) {
    await bringBack(database);
    // It could not sign off. After 10 seconds, it counts as dead.
    await silenceAll(db);
  } else if (role !== 'web') {
    // It has put back what it had claimed, and signed off.
    expect((await rowsOf(db, id)).filter(({ process_id }) => process_id)).toEqual([]);
    expect((await callback.read()).state).toBe('waiting');
  }

  const others = await run('all');
  await others.untilReady();
  await vi.waitFor(
    async () =>
      expect(await readBatch(others, headers, id)).toMatchObject({
        message: 'Batch verification completed.',
        total_counts: { deliverable: SIZE, processed: SIZE },
      }),
    { ...PATIENTLY, interval: 100 },
  );
  // The credit of the 249 comes back, by the process itself or by another one.
  await vi.waitFor(async () => expect(await creditsOf(db, accountId)).toBe(1_000 - SIZE), PATIENTLY);
  const running = db.selectFrom('verifications').select('id').where('state', '=', 'running');
  expect(await running.execute()).toEqual([]);
  expect(stopped.errors()).not.toContain('uncaught');
}

describe.each([
  ['with the database', false],
  ['without the database', true],
])('%s', (_, isAway) => {
  it.each(ROLES)('ends as %s, and others go on with its work', (role) =>
    stopInTheMiddle({ role, isAway, isProcess: false, hasPending: true }),
  );

  // It waits for the time limits of stopping.
  it.each(ROLES)(
    'ends as a process with the role %s with exit code 0 at SIGTERM, and others go on with its work',
    (role) => stopInTheMiddle({ role, isAway, isProcess: true, hasPending: true }),
  );
});

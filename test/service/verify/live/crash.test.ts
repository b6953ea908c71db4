import { expect, it, vi } from 'vitest';
import { listProcesses } from '../../../../src/service/jobs/process-store.ts';
import { inLong } from '../../../in-long.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import { expectExactBooks } from '../../support/books.ts';
import { type Child, prepareChildren } from '../../support/children.ts';
import { testDatabase } from '../../support/database.ts';
import { scriptVerifier, startLive } from '../../support/live.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { silenceAll } from '../../support/process.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/verify/live/child.ts');

type Line = { called?: string; done?: true; address?: string; status?: number | string; body?: string };

const start = (ACCOUNT_ID: string, addresses: readonly string[], more: Record<string, string> = {}) =>
  children.start({ DATABASE_URL: databaseUrl, ACCOUNT_ID, ADDRESSES: addresses.join(), ...more });

it('gives the credit back if the process is killed while it verifies', async () => {
  const account = await makeAccount(db, 1);
  const child = start(account, ['ada@example.com'], { PACE: 'never' });
  expect(await child.next<Line>()).toEqual({ called: 'ada@example.com' });
  expect(await creditsOf(db, account)).toBe(0);
  await child.kill();
  await silenceAll(db);
  const live = await startLive(db, scriptVerifier().verifier);
  // In the first seconds of the database server, processes may take their locks again.
  const refunded = async () => {
    await live.refundLost();
    return creditsOf(db, account);
  };
  await expect.poll(refunded, PATIENTLY).toBe(1);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 1, refund: 1 });
  await expectExactBooks(db);
});

it('gives the credit back if the process is killed after its 249', async () => {
  const account = await makeAccount(db, 1);
  const child = start(account, ['ada@example.com'], { PACE: 'never', IS_LATE: 'yes' });
  await child.next<Line>();
  expect(await child.next<Line>()).toMatchObject({ status: 249 });
  await child.kill();
  await silenceAll(db);
  const script = scriptVerifier();
  script.answer('deliverable', 'always');
  const live = await startLive(db, script.verifier);
  const question = { accountId: account, address: 'ada@example.com', smtp: true, acceptAll: false };
  expect(await live.verify({ ...question, timeoutMs: 60_000 })).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(0);
});

inLong('charges each key once and repeats what it acknowledged, beside kills', async () => {
  const addresses = Array.from({ length: 200 }, (_, number) => `a${number}@example.com`);
  const account = await makeAccount(db, 500);
  const acknowledged = new Map<string, string>();
  /** Reads the lines of a process until it has ended, or until there are so many. */
  const collect = async (child: Child, most: number) => {
    for (let lines = 0; lines < most; lines += 1) {
      const { done, address, status, body } = await child.next<Line>();
      if (done) return;
      expect(status).toBe(200);
      expect(body).toBe(acknowledged.get(address!) ?? body);
      acknowledged.set(address!, body!);
    }
  };
  for (const most of [3, 25, 70, 130]) {
    const child = start(account, addresses);
    await collect(child, most);
    await child.kill();
    await silenceAll(db);
    await vi.waitUntil(async () => (await listProcesses(db)).every(({ is_alive }) => !is_alive));
  }
  await collect(start(account, addresses), Number.POSITIVE_INFINITY);
  expect(acknowledged.size).toBe(200);
  await (await startLive(db, scriptVerifier().verifier)).refundLost();
  expect(await creditsOf(db, account)).toBe(300);
  await expectExactBooks(db);
});

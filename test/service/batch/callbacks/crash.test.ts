import { expect, it } from 'vitest';
import { expectExactBooks } from '../../support/books.ts';
import { completeWithCallback } from '../../support/callbacks.ts';
import { prepareChildren } from '../../support/children.ts';
import { testDatabase } from '../../support/database.ts';
import { silenceAll } from '../../support/process.ts';
import { startReceiver } from '../../support/receiver.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/webhooks/child.ts');

const startChild = () => children.startWorking({ DATABASE_URL: databaseUrl });

it('makes a try again whose process was killed, with the same webhook-id, and none that got its 200', async () => {
  const quick = await startReceiver();
  const delivered = await completeWithCallback(db, quick.url);
  const receiver = await startReceiver((response, count) => count > 2 && response.end());
  const batch = await completeWithCallback(db, receiver.url);
  for (const count of [1, 2]) {
    const child = await startChild();
    await receiver.until(count);
    await delivered.until('delivered');
    await child.kill();
    await silenceAll(db);
  }
  await startChild();
  const { tries } = await batch.until('delivered');
  const died = { status: null, error: 'The service ended before the receiver answered.' };
  expect(tries).toMatchObject([died, died, { status: 200, error: null }]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect([receiver.received.length, quick.received.length]).toEqual([3, 1]);
  await expectExactBooks(db);
});

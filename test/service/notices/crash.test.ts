import { expect, it } from 'vitest';
import { prepareChildren } from '../support/children.ts';
import { testDatabase } from '../support/database.ts';
import { makeTold, sendNotices, untilNotice } from '../support/low.ts';
import { silenceAll } from '../support/process.ts';
import { type Receiver, silence, startReceiver } from '../support/receiver.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/webhooks/child.ts');

const startChild = () => children.startWorking({ DATABASE_URL: databaseUrl });

/** Kills so many senders, one after the other, while the receiver has not answered them. */
async function killSenders(times: number, receiver: Receiver): Promise<void> {
  for (let count = 1; count <= times; count += 1) {
    const child = await startChild();
    await receiver.until(count);
    await child.kill();
    await silenceAll(db);
  }
}

it('sends a notice again whose process was killed, with the same webhook-id and body', async () => {
  const receiver = await startReceiver((response, count) => count > 2 && response.end());
  const id = await makeTold(db, receiver.url);
  await killSenders(2, receiver);
  await startChild();
  await untilNotice(db, id, 'delivered');
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  await children.end();
});

it('gives up a notice over which three processes died, and says so without the URL', async () => {
  const receiver = await startReceiver(silence);
  const id = await makeTold(db, receiver.url);
  await killSenders(3, receiver);
  const { logged } = await sendNotices(db);
  const { error } = await untilNotice(db, id, 'given up');
  expect(error).toBe('The service ended before the receiver answered.');
  await expect.poll(() => logged).toEqual([['error', 'poison', { account: id }]]);
  expect(receiver.received).toHaveLength(3);
});

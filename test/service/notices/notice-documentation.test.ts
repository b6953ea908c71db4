/** The description of notices in the OpenAPI document is of the notices that are sent. */
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { describedWebhook } from '../support/described-webhook.ts';
import { makeTold, sendNotices, untilNotice } from '../support/low.ts';
import { startReceiver } from '../support/receiver.ts';

const { db } = await testDatabase();
const described = () => describedWebhook(db, 'creditsLow');

it('names the headers and the body that a receiver gets', async () => {
  const { expectLike } = await described();
  const receiver = await startReceiver();
  const id = await makeTold(db, receiver.url);
  await sendNotices(db);
  await untilNotice(db, id, 'delivered');
  expectLike(receiver.received[0]!);
});

it('has an example that is signed with the secret of the example of callbacks', async () =>
  (await described()).expectSigned());

it('is on the page of the API', async () => {
  const { post, page } = await described();
  expect(page).toContain(post.summary);
  expect(page).toContain('href="#creditsLow"');
});

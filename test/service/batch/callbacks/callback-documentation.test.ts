/** The description of callbacks in the OpenAPI document is of the callbacks that are sent. */
import { expect, it } from 'vitest';
import { completeWithCallback, sendCallbacks } from '../../support/callbacks.ts';
import { testDatabase } from '../../support/database.ts';
import { describedWebhook } from '../../support/described-webhook.ts';
import { startReceiver } from '../../support/receiver.ts';

const { db } = await testDatabase();
const described = () => describedWebhook(db, 'batchCompleted');

it('names the headers and the body that a receiver gets', async () => {
  const { expectLike } = await described();
  const receiver = await startReceiver();
  const batch = await completeWithCallback(db, receiver.url, { size: 3 });
  await sendCallbacks(db);
  await batch.until('delivered');
  expectLike(receiver.received[0]!);
});

it('has an example that is signed with the secret that it names', async () =>
  (await described()).expectSigned());

it('shows on the page what a receiver has to answer', async () => {
  const { post, page, headers } = await described();
  for (const text of [post.summary!, ...Object.keys(headers)]) expect(page).toContain(text);
  expect(page).toContain('<h3>Answers that the service expects</h3>');
  expect(page).toContain('href="#batchCompleted"');
});

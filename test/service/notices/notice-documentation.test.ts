/** The description of notices in the OpenAPI document is of the notices that are sent. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { makeTold, sendNotices, untilNotice } from '../support/low.ts';
import { startReceiver } from '../support/receiver.ts';
import { startStoredService } from '../support/stored-service.ts';

const { db } = await testDatabase();

async function describedNotice() {
  const { app } = await startStoredService(db, { docs: DOCS });
  const document = (await app.inject('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
  const { post } = document.webhooks!.creditsLow as { post: OpenAPIV3_1.OperationObject };
  const { content } = post.requestBody as OpenAPIV3_1.RequestBodyObject;
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  ajv.addFormat('date-time', (text: string) => new Date(text).toISOString() === text);
  const fits = ajv.compile({ ...document.components!.schemas!.Notice, additionalProperties: false });
  const headers = Object.fromEntries(
    (post.parameters as OpenAPIV3_1.ParameterObject[]).map(({ name, example }) => [name, String(example)]),
  ) as Record<string, string>;
  const callback = (document.webhooks!.batchCompleted as { post: OpenAPIV3_1.OperationObject }).post;
  const [secret] = /whsec_[\w+/=]+/.exec(callback.description!)!;
  return { app, post, fits, headers, secret, example: content['application/json']!.example as object };
}

it('names the headers and the body that a receiver gets', async () => {
  const { fits, headers, example } = await describedNotice();
  const receiver = await startReceiver();
  const id = await makeTold(db, receiver.url);
  await sendNotices(db);
  await untilNotice(db, id, 'delivered');
  const [notice] = receiver.received;
  const signed = Object.keys(notice!.headers).filter((name) => name.startsWith('webhook-'));
  expect(Object.keys(headers).sort()).toEqual(signed.sort());
  for (const body of [JSON.parse(notice!.body), example])
    expect([fits(body), fits.errors]).toEqual([true, null]);
});

it('has an example that is signed with the secret of the example of callbacks', async () => {
  const { headers, example, secret } = await describedNotice();
  const [id, sentAt] = [headers['webhook-id']!, new Date(Number(headers['webhook-timestamp']) * 1000)];
  expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(id, sentAt, JSON.stringify(example)));
});

it('is on the page of the API', async () => {
  const { app, post } = await describedNotice();
  const page = (await app.inject('/docs/api/')).body;
  expect(page).toContain(post.summary);
  expect(page).toContain('href="#creditsLow"');
});

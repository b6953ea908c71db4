/** The description of callbacks in the OpenAPI document is of the callbacks that are sent. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { completeWithCallback, sendCallbacks } from '../../support/callbacks.ts';
import { testDatabase } from '../../support/database.ts';
import { DOCS } from '../../support/docs.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startStoredService } from '../../support/stored-service.ts';

const { db } = await testDatabase();

async function describedCallback() {
  const { app } = await startStoredService(db, { docs: DOCS });
  const document = (await app.inject('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
  const { post } = document.webhooks!.batchCompleted as { post: OpenAPIV3_1.OperationObject };
  const { content } = post.requestBody as OpenAPIV3_1.RequestBodyObject;
  const { schema, examples } = content['application/json']!;
  const { $ref } = schema as { $ref: string };
  const fits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile({
    ...document.components!.schemas![$ref.split('/').at(-1)!],
    additionalProperties: false,
  });
  const headers = (post.parameters as OpenAPIV3_1.ParameterObject[]).map(({ name, example }) => [
    name,
    String(example),
  ]);
  const bodies = Object.values(examples as Record<string, { value: object }>).map(({ value }) => value);
  const page = (await app.inject('/docs/api/')).body;
  return { page, post, fits, headers: Object.fromEntries(headers) as Record<string, string>, bodies };
}

it('names the headers and the body that a receiver gets', async () => {
  const { fits, headers, bodies } = await describedCallback();
  const receiver = await startReceiver();
  const batch = await completeWithCallback(db, receiver.url, { size: 3 });
  await sendCallbacks(db);
  await batch.until('delivered');
  const [callback] = receiver.received;
  const signed = Object.keys(callback!.headers).filter((name) => name.startsWith('webhook-'));
  expect(Object.keys(headers).sort()).toEqual(signed.sort());
  for (const body of [JSON.parse(callback!.body), ...bodies]) {
    expect([fits(body), fits.errors]).toEqual([true, null]);
  }
});

it('has an example that is signed with the secret that it names', async () => {
  const { post, headers, bodies } = await describedCallback();
  const [secret] = /whsec_[\w+/=]+/.exec(post.description!)!;
  const body = JSON.stringify(bodies[0]);
  const [id, sentAt] = [headers['webhook-id']!, new Date(Number(headers['webhook-timestamp']) * 1000)];
  expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(id, sentAt, body));
});

it('shows on the page what a receiver has to answer', async () => {
  const { page, post, headers } = await describedCallback();
  for (const text of [post.summary!, ...Object.keys(headers)]) expect(page).toContain(text);
  expect(page).toContain('<h3>Answers that the service expects</h3>');
  expect(page).toContain('href="#batchCompleted"');
});

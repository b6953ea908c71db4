/** The collection for Postman has every operation, and its requests are right as they stand. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { expect, it } from 'vitest';
import { endpointsOf } from '../../../docs/site/endpoints.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';
import { FORM } from '../testing.ts';

const { db } = await testDatabase();

type Entry = { readonly key: string; readonly value: string; readonly disabled?: true };
interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly url: { readonly raw: string };
    readonly body?: { readonly urlencoded: readonly Entry[] };
  };
  readonly response: readonly { readonly code: number; readonly body: string }[];
}
interface Collection {
  readonly info: { readonly schema: string };
  readonly variable: readonly Entry[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

async function open(publicUrl?: string) {
  const { app } = await startStoredService(db, { docs: DOCS, ...(publicUrl && { publicUrl }) });
  const get = async (url: string) => app.inject({ url, headers: { host: 'verify.example:8080' } });
  const collection = (await get('/docs/postman.json')).json<Collection>();
  const document = (await get('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
  return { app, get, collection, document, items: collection.item.flatMap(({ item }) => item) };
}

it('has each operation of the OpenAPI document once, with every example of a response', async () => {
  const { collection, document, items } = await open();
  expect(collection.info.schema).toContain('/v2.1.0/');
  const summaries = endpointsOf(document).map(({ operation }) => operation.summary);
  expect(items.map(({ name }) => name).sort()).toEqual(summaries.sort());
  const examples = endpointsOf(document).flatMap(({ operation }) =>
    Object.values(operation.responses ?? {}).flatMap((response) =>
      Object.values((response as OpenAPIV3_1.ResponseObject).content?.['application/json']?.examples ?? {}),
    ),
  );
  const saved = items.flatMap(({ response }) => response.map(({ body }) => JSON.parse(body)));
  expect(saved).toHaveLength(examples.length);
  expect(saved).toEqual(
    expect.arrayContaining(examples.map((example) => (example as { value: object }).value)),
  );
});

it('has no credential: each is a variable without a value', async () => {
  const { collection } = await open();
  const used = JSON.stringify(collection).match(/\{\{\w+\}\}/g);
  const declared = collection.variable.map(({ key }) => `{{${key}}}`);
  expect([...new Set(used)].sort()).toEqual(declared.sort());
  const values = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]));
  expect(values).toMatchObject({ api_key: '', client_secret: '', refresh_token: '' });
  expect(Object.values(values).filter((value) => value !== '')).toEqual(['http://verify.example:8080']);
});

it('begins with the public URL, if the config has one', async () => {
  const { collection } = await open('https://x.example/verify');
  expect(collection.variable[0]).toEqual({ key: 'baseUrl', value: 'https://x.example/verify' });
});

it('has requests that the service accepts as they stand', async () => {
  const { app, items } = await open();
  const { key } = await storeKey(db, await makeAccount(db, 0));
  const sent = items.filter(({ request }) => request.auth?.type !== 'noauth');
  const statuses = await Promise.all(
    sent.map(async ({ request: { method, url, body } }) => {
      const fields = body?.urlencoded
        .filter(({ disabled }) => !disabled)
        .map(({ key, value }) => [key, value]);
      const answer = await app.inject({
        method: method as 'GET',
        url: url.raw.replace('{{baseUrl}}', ''),
        headers: { authorization: `Bearer ${key}`, ...(fields && { 'content-type': FORM }) },
        ...(fields && { payload: new URLSearchParams(fields).toString() }),
      });
      return [`${method} ${url.raw.replace(/\?.*/, '')}`, answer.statusCode];
    }),
  );
  expect(Object.fromEntries(statuses)).toEqual({
    'GET {{baseUrl}}/v1/verify': 200,
    'POST {{baseUrl}}/v1/verify': 200,
    // Only live keys get explanations.
    'GET {{baseUrl}}/v1/verify/explain': 403,
    'POST {{baseUrl}}/v1/batch': 200,
    // The batch of the example is nobody's.
    'GET {{baseUrl}}/v1/batch': 404,
    'GET {{baseUrl}}/v1/account': 200,
  });
});

it('is linked from the page of the API', async () => {
  const { get } = await open('https://x.example/verify');
  expect((await get('/docs/api/')).body).toContain('href="/verify/docs/postman.json"');
});

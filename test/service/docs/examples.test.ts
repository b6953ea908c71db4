/** The examples of the OpenAPI document: each operation and each response has some, and they are right. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { describe, expect, it } from 'vitest';
import { bodyTypesOf, endpointsOf, type Operation, queryFieldsOf } from '../../../docs/site/endpoints.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { createScript, startStoredService, storeKey } from '../support/stored-service.ts';
import { FORM, multipart } from '../testing.ts';

const { db } = await testDatabase();

async function open() {
  const { app } = await startStoredService(db, { docs: DOCS, ...createScript() });
  const document = (await app.inject('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
  return { app, document };
}

it('are of every documented route of a service with a database, and of no other', async () => {
  const { app } = await startStoredService(db, { docs: DOCS });
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url, config = {} }) => {
    if ('swaggerTransform' in config && method !== 'HEAD') routes.push(`${method} ${url}`);
  });
  const document = (await app.inject('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
  const documented = endpointsOf(document).map(({ method, path }) => `${method} ${path}`);
  expect(documented.sort()).toEqual(routes.map((route) => route.replace(':file', '{file}')).sort());
});

type Content = Record<string, OpenAPIV3_1.MediaTypeObject>;
const bodiesOf = ({ requestBody }: Operation) =>
  (requestBody as OpenAPIV3_1.RequestBodyObject | undefined)?.content ?? {};

/** Every body with a schema, by its place. */
type Body = [place: string, media: OpenAPIV3_1.MediaTypeObject];
const bodiesIn = (document: OpenAPIV3_1.Document) =>
  endpointsOf(document).flatMap(({ operation }) => {
    const contents: [string, Content][] = [
      ['request', bodiesOf(operation)],
      ...Object.entries(operation.responses ?? {}).map(([status, response]): [string, Content] => [
        status,
        (response as OpenAPIV3_1.ResponseObject).content ?? {},
      ]),
    ];
    return contents.flatMap(([place, content]) => {
      const bodies = Object.entries(content).filter(([type]) => type !== 'application/zip');
      return bodies.map(([type, media]): Body => [`${operation.operationId} ${place} ${type}`, media]);
    });
  });

function schemaOf(document: OpenAPIV3_1.Document, { schema }: OpenAPIV3_1.MediaTypeObject) {
  const { $ref } = schema as { $ref?: string };
  return $ref ? document.components!.schemas![$ref.split('/').at(-1)!] : schema;
}

it('are there for every body, and fit it', async () => {
  const { document } = await open();
  const wrong: string[] = [];
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { password: true } });
  // Many bodies share a schema, and each takes milliseconds to compile.
  const compiled = new Map<object, ValidateFunction>();
  for (const [place, media] of bodiesIn(document)) {
    const schema = schemaOf(document, media)!;
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, additionalProperties: false });
    compiled.set(schema, validate);
    const values = Object.values(media.examples ?? {}).map((example) => (example as { value: object }).value);
    if (values.length === 0) wrong.push(`${place}: none`);
    for (const value of values) {
      if (!validate(value)) wrong.push(`${place}: ${JSON.stringify(validate.errors)}`);
    }
  }
  expect(bodiesIn(document).length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

it('are there for every parameter that is required', async () => {
  const { document } = await open();
  const required = endpointsOf(document).flatMap(({ operation }) =>
    queryFieldsOf(operation).filter((field) => field.required),
  );
  expect(required.length).toBeGreaterThan(1);
  for (const { name, example } of required) expect([name, example]).toEqual([name, expect.any(String)]);
});

describe('a request as in the example', () => {
  type Send = (value: Record<string, string>) => { type: string; payload: string };
  const asSent: Readonly<Record<string, Send>> = {
    [FORM]: (value) => ({ type: FORM, payload: new URLSearchParams(value).toString() }),
    'multipart/form-data': (value) => multipart(Object.entries(value)),
    'application/json': (value) => ({ type: 'application/json', payload: JSON.stringify(value) }),
  };

  it.each(['/v1/verify', '/v1/batch'])('gets a 200 in every type of body: POST %s', async (path) => {
    const { key } = await storeKey(db, await makeAccount(db, 0));
    const { app, document } = await open();
    const operation = document.paths![path]!.post!;
    expect(bodyTypesOf(operation)).toEqual(Object.keys(asSent));
    for (const [sentType, { examples = {} }] of Object.entries(bodiesOf(operation))) {
      for (const example of Object.values(examples)) {
        const { type, payload } = asSent[sentType]!((example as { value: Record<string, string> }).value);
        const headers = { authorization: `Bearer ${key}`, 'content-type': type };
        const answer = await app.inject({ method: 'POST', url: path, headers, payload });
        expect([sentType, answer.statusCode, answer.body]).toEqual([sentType, 200, expect.any(String)]);
      }
    }
  });
});

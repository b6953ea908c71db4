/** The documentation of the OAuth endpoints says what they answer. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { openWorld } from './world.ts';

const { db } = await testDatabase();

const PATHS = ['/oauth/token', '/oauth/device/code', '/oauth/revoke'];

async function open() {
  const world = await openWorld(db, { docs: DOCS });
  const document = (await world.app.inject('/docs/openapi.json')).json() as OpenAPIV3_1.Document;
  const operation = (path: string) => document.paths![path]!.post!;
  const examplesOf = (path: string, status: string) => {
    const { content } = operation(path).responses![status] as OpenAPIV3_1.ResponseObject;
    const named = content!['application/json']!.examples as Record<string, { value: object }>;
    return Object.values(named).map(({ value }) => value);
  };
  const validates = (schema: string, value: unknown) =>
    new Ajv2020({ strict: true }).compile({
      ...document.components!.schemas![schema],
      additionalProperties: false,
    })(value);
  return { ...world, document, operation, examplesOf, validates };
}

it('is OpenAPI, and lists every endpoint that takes a form', async () => {
  const { document, operation, app } = await open();
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  for (const path of PATHS) {
    const { requestBody, security, description } = operation(path);
    expect(Object.keys((requestBody as OpenAPIV3_1.RequestBodyObject).content)).toEqual([
      'application/x-www-form-urlencoded',
    ]);
    expect([security, description]).toEqual([[], expect.any(String)]);
  }
  const page = (await app.inject('/docs/api/')).body;
  for (const path of PATHS) expect(page).toContain(`<code>POST ${path}</code>`);
});

it('shows responses that have the shape of the real ones', async () => {
  const { makeApp, tokensOf, deviceOf, examplesOf, validates } = await open();
  const app = await makeApp();
  const tokens = [...examplesOf('/oauth/token', '200'), await tokensOf(app)];
  const codes = [...examplesOf('/oauth/device/code', '200'), await deviceOf(app)];
  expect(tokens.map((value) => validates('Tokens', value))).toEqual([true, true]);
  expect(codes.map((value) => validates('DeviceCode', value))).toEqual([true, true]);
  expect(examplesOf('/oauth/revoke', '200')).toEqual([{}]);
});

it('shows the errors in their own shape', async () => {
  const { examplesOf, validates, post, makeApp, deviceOf, poll } = await open();
  for (const path of PATHS) {
    for (const status of ['400', '401']) {
      for (const example of examplesOf(path, status)) expect(validates('OAuthError', example)).toBe(true);
    }
  }
  const app = await makeApp();
  const { device_code } = await deviceOf(app);
  const errors = examplesOf('/oauth/token', '400');
  expect(errors).toContainEqual((await poll(app, device_code)).json());
  expect(errors).toContainEqual((await poll(app, device_code)).json());
  expect(errors).toContainEqual((await poll(app, 'unknown')).json());
  expect(errors).toContainEqual((await post('token', { ...app, grant_type: 'password' })).json());
});

/** The OpenAPI document of a service with a database. generators.test.ts, which `npm test` leaves out, has all rules of Redocly. */
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenAPIV3_1 } from 'openapi-types';
import { expect, it } from 'vitest';
import { endpointsOf } from '../../../docs/site/endpoints.ts';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { startStoredService } from '../support/stored-service.ts';

const { db } = await testDatabase();

async function open() {
  const { app } = await startStoredService(db, { docs: DOCS });
  return (await app.inject('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
}

it('is OpenAPI 3.1, with its webhooks, and every reference leads somewhere', async () => {
  const document = await open();
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(Object.keys(document.webhooks ?? {})).not.toEqual([]);
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(JSON.stringify(validator.resolveRefs())).not.toContain('$ref');
});

const isDistinct = (texts: readonly string[]) => new Set(texts).size === texts.length;

it('has of each operation what makers of clients rely on', async () => {
  const document = await open();
  const { components = {}, tags = [] } = document;
  const operations = endpointsOf(document);
  expect(operations.length).toBeGreaterThan(5);
  expect(isDistinct(operations.map(({ operation }) => operation.operationId!))).toBe(true);
  const faults = operations.flatMap(({ method, path, operation }) => {
    const statuses = Object.keys(operation.responses ?? {});
    const schemes = (operation.security ?? document.security ?? []).flatMap((each) => Object.keys(each));
    const parameters = (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[];
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const isRight = {
      operationId: /^[\w.-]+$/.test(operation.operationId ?? ''),
      summary: Boolean(operation.summary),
      tag: operation.tags?.length === 1 && tags.some(({ name }) => operation.tags!.includes(name)),
      security: schemes.every((name) => components.securitySchemes?.[name]),
      'a success': statuses.some((status) => status.startsWith('2')),
      'a failure': statuses.some((status) => status.startsWith('4')),
      'parameters once': isDistinct(parameters.map((each) => `${each.in} ${each.name}`)),
      'parameters of the path': inPath.every((name) =>
        parameters.some((each) => each.in === 'path' && each.name === name && each.required),
      ),
    };
    return Object.entries(isRight).flatMap(([rule, is]) => (is ? [] : [`${method} ${path}: ${rule}`]));
  });
  expect(faults).toEqual([]);
});

/** Each object in a document. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

it('requires only properties that its schemas have, and lists each of their values once', async () => {
  const document = await open();
  let count = 0;
  for (const schema of objectsIn(document)) {
    const { required, properties, enum: values } = schema;
    if (Array.isArray(required) && properties !== undefined) {
      count += 1;
      expect(Object.keys(properties as object)).toEqual(expect.arrayContaining(required));
    }
    if (Array.isArray(values) && schema.type === 'string') {
      expect(values.filter((value) => typeof value !== 'string')).toEqual([]);
      expect(isDistinct(values), `${values}`).toBe(true);
    }
  }
  expect(count).toBeGreaterThan(10);
});

it('describes each of its tags, and has no part that nothing refers to', async () => {
  const document = await open();
  expect((document.tags ?? []).filter(({ description }) => !description)).toEqual([]);
  const { securitySchemes: _, ...parts } = document.components ?? {};
  const references = Object.entries(parts).flatMap(([kind, named]) =>
    Object.keys(named ?? {}).map((name) => `"#/components/${kind}/${name}"`),
  );
  expect(references).not.toEqual([]);
  const text = JSON.stringify(document);
  expect(references.filter((reference) => !text.includes(reference))).toEqual([]);
});

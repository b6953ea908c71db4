/** Makes a Postman collection (v2.1) of a document of OpenAPI. Knows nothing of our routes. */
import type { OpenAPIV3_1 } from 'openapi-types';
import {
  bodyExampleOf,
  bodyFieldsOf,
  type Endpoint,
  endpointsOf,
  type Field,
  headerFieldsOf,
  type Operation,
  pathFieldsOf,
  queryFieldsOf,
} from './endpoints.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
/** The variable with which requests authenticate. */
const KEY = 'api_key';

/** @returns what Postman imports */
export function postmanCollection(document: OpenAPIV3_1.Document) {
  const endpoints = endpointsOf(document);
  const { info, tags = [] } = document;
  return {
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: `{{${KEY}}}`, type: 'string' }] },
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: endpoints.filter(({ operation }) => operation.tags?.includes(name)).map(itemOf),
    })),
    variable: [{ key: 'baseUrl', value: '@@server@@' }, ...credentialsIn(endpoints)],
  };
}

function itemOf({ path, method, operation }: Endpoint) {
  const steps = path
    .slice(1)
    .split('/')
    .map((step) => step.replace(/^\{(.+)\}$/, ':$1'));
  const query = queryFieldsOf(operation).map((field) => entryOf(field));
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  const search = sent.length > 0 ? `?${sent.join('&')}` : '';
  const fields = bodyFieldsOf(operation);
  return {
    name: operation.summary,
    request: {
      method,
      description: operation.description,
      ...(operation.security?.length === 0 && { auth: { type: 'noauth' } }),
      url: {
        raw: `{{baseUrl}}/${steps.join('/')}${search}`,
        host: ['{{baseUrl}}'],
        path: steps,
        query,
        variable: pathFieldsOf(operation).map((field) => entryOf(field)),
      },
      header: headerFieldsOf(operation).map((field) => entryOf(field)),
      ...(fields.length > 0 && { body: { mode: 'urlencoded', urlencoded: formOf(fields, operation) } }),
    },
    response: Object.entries(operation.responses ?? {}).flatMap(responsesOf),
  };
}

const formOf = (fields: readonly Field[], operation: Operation) => {
  const example = bodyExampleOf(operation);
  return fields.map((field) => entryOf(field, example[field.name]));
};

/** What is neither required nor in the example is there, but switched off. */
function entryOf(field: Field, example = field.example) {
  const { name, schema, required, description } = field;
  const value = isCredential(field) ? `{{${name}}}` : String(example ?? schema.default ?? '');
  return { key: name, value, description, ...(!required && example === undefined && { disabled: true }) };
}

/** A collection is shared, so credentials are variables. The id of an app goes with its secret. */
const isCredential = ({ name, schema }: Field) => schema.format === 'password' || name === 'client_id';

function credentialsIn(endpoints: readonly Endpoint[]) {
  const names = endpoints
    .flatMap(({ operation }) => bodyFieldsOf(operation))
    .filter(isCredential)
    .map(({ name }) => name);
  return [...new Set([KEY, ...names])].map((key) => ({ key, value: '' }));
}

/** A saved response for each example. */
function responsesOf([status, response]: [string, unknown]) {
  const { description, content } = response as OpenAPIV3_1.ResponseObject;
  const examples = Object.values(content?.['application/json']?.examples ?? {});
  return (examples as OpenAPIV3_1.ExampleObject[]).map(({ summary, value }) => ({
    name: summary ?? description,
    code: Number(status),
    header: [{ key: 'Content-Type', value: 'application/json' }],
    body: JSON.stringify(value, null, 2),
    _postman_previewlanguage: 'json',
  }));
}

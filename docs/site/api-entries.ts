/** What the search finds in the API's reference. */
import type { OpenAPIV3_1 } from 'openapi-types';
import type { SearchEntry } from '../../src/service/docs/docs-search.ts';
import { endpointsOf, parametersOf, webhooksOf } from './endpoints.ts';

/** @param url of the page */
export const apiEntries = (document: OpenAPIV3_1.Document, url: string): SearchEntry[] =>
  [...endpointsOf(document), ...webhooksOf(document)].map(({ path, method, operation }) => ({
    url: `${url}#${operation.operationId}`,
    section: 'API',
    title: 'API reference',
    heading: `${method} ${path}: ${operation.summary}`,
    text: [
      operation.description,
      ...parametersOf(operation).map(({ name, description }) => `${name}: ${description ?? ''}`),
    ]
      .join(' ')
      .replaceAll('`', ''),
    code: '',
    names: parametersOf(operation)
      .map(({ name }) => name)
      .join('\n'),
  }));

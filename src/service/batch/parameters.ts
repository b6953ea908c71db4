/** Merges the parameters of a request to `/v1/batch` into one set of values for the schemas. */
import type { TSchema } from '@sinclair/typebox';
import { Failure } from '../failures.ts';
import type { Parameters } from '../http/parameters.ts';
import { CreateParameters, StatusParameters } from './schema.ts';

/** @returns a function that merges the parameters of a schema */
function mergerOf({ properties }: { readonly properties: Readonly<Record<string, TSchema>> }) {
  return (parameters: Parameters): Record<string, unknown> => {
    const merged: Record<string, unknown> = {};
    for (const [name, { type }] of Object.entries(properties)) {
      const given = parameters.get(name);
      if (!given) continue;
      // Query and form fields are text.
      const read = (value: unknown) =>
        type === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value;
      const [value, ...others] = new Set(given.map(read));
      if (others.length > 0) {
        throw new Failure('badRequest', `Expected one value for ${name}, got several that differ.`);
      }
      merged[name] = value;
    }
    return merged;
  };
}

export const mergeCreate = mergerOf(CreateParameters);
export const mergeStatus = mergerOf(StatusParameters);

/**
 * The parameters of a new batch belong in the body, because proxies log URLs.
 *
 * @throws {Failure} 400 that names the first one in the query
 */
export function refuseInQuery(query: Parameters): void {
  const name = Object.keys(CreateParameters.properties).find((known) => query.has(known));
  if (name !== undefined)
    throw new Failure('badRequest', `Expected ${name} in the body, got it in the query.`);
}

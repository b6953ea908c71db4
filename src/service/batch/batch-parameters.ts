/** Merges the parameters of a request to `/v1/batch` into one set of values for the schemas. */
import type { TSchema } from '@sinclair/typebox';
import { LongText } from '../../shared/long-text.ts';
import { STEP_CHARACTERS } from '../../shared/steps.ts';
import { Failure } from '../core/failures.ts';
import { refuseMisnamed } from '../http/misnamed.ts';
import type { Parameters } from '../http/parameters.ts';
import { CreateParameters, StatusParameters } from './batch-schema.ts';

/** @returns a function that merges the parameters of a schema */
function mergerOf({ properties }: { readonly properties: Readonly<Record<string, TSchema>> }) {
  const known = Object.keys(properties);
  return (parameters: Parameters): Record<string, unknown> => {
    refuseMisnamed(parameters, known);
    const merged: Record<string, unknown> = {};
    for (const [name, { type }] of Object.entries(properties)) {
      const given = parameters.get(name);
      const list = takesList(type) ? listOf(parameters, name) : [];
      if (list.length > 0) {
        if (given) throw new Failure('badRequest', `Expected ${name} or ${name}[], got both.`);
        merged[name] = list;
        continue;
      }
      if (!given) continue;
      // Query and form fields are text.
      const read = (value: unknown) =>
        type === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value;
      const value = read(given[0]);
      if (given.some((other) => !isSame(read(other), value))) {
        const remedy = takesList(type) ? ` Name each of them ${name}[].` : '';
        throw new Failure('badRequest', `Expected one value for ${name}, got several that differ.${remedy}`);
      }
      // No other parameter takes a long text. Its beginning is as wrong as the whole.
      merged[name] = value instanceof LongText && name !== 'emails' ? value.slice(0, STEP_CHARACTERS) : value;
    }
    return merged;
  };
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (one instanceof LongText && other instanceof LongText && one.equals(other));

const takesList = (type: unknown) => Array.isArray(type) && type.includes('array');

/** What may follow the name of a list in a form, as PHP, Rails and others write it: `emails[]`, `emails[0]`. */
const PLACE_IN_LIST = /^\[\d{0,9}\]$/;

const isEntryOf = (sent: string, name: string): boolean =>
  sent.startsWith(`${name}[`) && PLACE_IN_LIST.test(sent.slice(name.length));

/** The values of all names that are entries of this list, in the order sent. */
const listOf = (parameters: Parameters, name: string): unknown[] =>
  [...parameters].flatMap(([sent, values]) => (isEntryOf(sent, name) ? values : []));

export const mergeCreate = mergerOf(CreateParameters);
export const mergeStatus = mergerOf(StatusParameters);

/**
 * The parameters of a new batch belong in the body, because proxies log URLs.
 *
 * @throws {Failure} 400 that names the first one in the query
 */
export function refuseInQuery(query: Parameters): void {
  const sent = [...query.keys()];
  const name = Object.keys(CreateParameters.properties).find((known) =>
    sent.some((name) => name === known || isEntryOf(name, known)),
  );
  if (name !== undefined)
    throw new Failure('badRequest', `Expected ${name} in the body, got it in the query.`);
}

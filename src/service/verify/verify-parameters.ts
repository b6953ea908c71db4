/** Merges the parameters of a request into one set of values for the schema. */
import { Failure } from '../core/failures.ts';
import { refuseMisnamed } from '../http/misnamed.ts';
import type { Parameters } from '../http/parameters.ts';
import { VerifyParameters } from './verify-schema.ts';

const PROPERTIES = Object.entries(VerifyParameters.properties);
const NAMES = PROPERTIES.map(([name]) => name);

/**
 * Query and form fields are always text. Text that matches the schema's type is converted. Other text stays unchanged,
 * and the schema refuses it.
 *
 * @throws {Failure} if a parameter has two different values or is misnamed
 */
export function mergeParameters(parameters: Parameters): Record<string, unknown> {
  refuseMisnamed(parameters, NAMES);
  const merged: Record<string, unknown> = {};
  for (const [name, { type }] of PROPERTIES) {
    const given = parameters.get(name);
    if (!given) continue;
    const [value, ...others] = new Set(given.map((value) => fromText(value, type)));
    if (others.length > 0)
      throw new Failure('badRequest', `Expected one value for ${name}, got several that differ.`);
    merged[name] = value;
  }
  return merged;
}

function fromText(value: unknown, type: string): unknown {
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  // Only plain digits, without sign, point or leading zero.
  if (type === 'integer' && typeof value === 'string' && /^(0|[1-9]\d{0,5})$/.test(value))
    return Number(value);
  return value;
}

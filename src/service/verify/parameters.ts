/** Makes one set of values for the schema to judge out of all that a request says. */
import { Failure } from '../failures.ts';
import type { Parameters } from '../http/parameters.ts';
import { VerifyParameters } from './schema.ts';

const PROPERTIES = Object.entries(VerifyParameters.properties);

/**
 * Query and form fields hold text only: text that spells what the schema wants is taken for it. What spells
 * anything else stays as it is, and the schema refuses it.
 *
 * @throws {Failure} when a parameter has two values that differ
 */
export function mergeParameters(parameters: Parameters): Record<string, unknown> {
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
  // No sign, no point, no zero in front: there is one way to write a whole number.
  if (type === 'integer' && typeof value === 'string' && /^(0|[1-9]\d{0,5})$/.test(value))
    return Number(value);
  return value;
}

/** The fields of a batch's results, and the parameter that selects them. */
import type { VerificationResult } from '../../protocol/result.ts';
import { Failure } from '../core/failures.ts';
import { ResultSchema } from '../verify/verify-schema.ts';

/** A result in a batch. It has no `duration`. */
export type BatchResult = Omit<VerificationResult, 'duration'>;

/** In the order of the interface's section 2.1. */
export const RESULT_FIELDS = Object.keys(ResultSchema.properties).filter(
  (name): name is keyof BatchResult => name !== 'duration',
);

/** Repeated names included. */
const MOST_NAMES = 100;

/**
 * Reads the parameter `response_fields`.
 *
 * @returns the fields in the order of the interface, each once @throws {Failure} 400 that names the unknown field
 */
export function readResponseFields(value: unknown): (keyof BatchResult)[] {
  const names = typeof value === 'string' ? value.split(',', MOST_NAMES + 1) : value;
  const expected = `Expected response_fields to be some of ${RESULT_FIELDS.join(', ')}`;
  if (!Array.isArray(names) || names.length === 0) throw new Failure('badRequest', `${expected}.`);
  if (names.length > MOST_NAMES)
    throw new Failure('badRequest', `${expected}, got more than ${MOST_NAMES} names.`);
  const wanted = new Set<unknown>();
  for (const name of names) {
    const field = typeof name === 'string' ? name.trim() : name;
    if (!RESULT_FIELDS.includes(field)) {
      const got = typeof field === 'string' ? JSON.stringify(field.slice(0, 40)) : 'something else';
      throw new Failure('badRequest', `${expected}, got ${got}.`);
    }
    wanted.add(field);
  }
  return RESULT_FIELDS.filter((field) => wanted.has(field));
}

/** The result with only these fields. */
export function pickFields(
  result: BatchResult,
  fields: readonly (keyof BatchResult)[] | null,
): Partial<BatchResult> {
  if (!fields) return result;
  return Object.fromEntries(fields.map((field) => [field, result[field]]));
}

/** The result as a batch stores it: the fields of the interface in their order. */
export function toBatchResult(result: VerificationResult): BatchResult {
  return Object.fromEntries(RESULT_FIELDS.map((field) => [field, result[field]])) as unknown as BatchResult;
}

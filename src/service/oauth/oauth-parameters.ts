/** Reads the parameters of OAuth from a query or a body. */
import type { Parameters } from '../http/parameters.ts';
import { OAuthFailure } from './oauth-errors.ts';

/**
 * A parameter without a value counts as missing, and no parameter may occur twice (RFC 6749, section 3.1).
 *
 * @throws {OAuthFailure} for a parameter that occurs twice or is not a text
 */
export function readValues<Name extends string>(
  parameters: Parameters,
  names: readonly Name[],
): Readonly<Record<Name, string | undefined>> {
  const entries = names.map((name) => {
    const values = parameters.get(name) ?? [];
    if (values.length > 1) throw new OAuthFailure('invalid_request', `Expected ${name} once, got it twice.`);
    const [value] = values;
    // PostgreSQL cannot store NUL, and no other parameter of OAuth has a use for it. The app gets its state back with
    // whatever characters it has.
    if (value !== undefined && (typeof value !== 'string' || (name !== 'state' && value.includes('\0'))))
      throw new OAuthFailure('invalid_request', `Expected ${name} to be a text.`);
    return [name, value === '' ? undefined : value] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string | undefined>;
}

/** @throws {OAuthFailure} for a parameter that is missing */
export function requireValue<Name extends string>(
  values: Readonly<Record<Name, string | undefined>>,
  name: Name,
): string {
  const value = values[name];
  if (value === undefined) throw new OAuthFailure('invalid_request', `Expected ${name}, got nothing.`);
  return value;
}

/** The only scope is `all`, and it may be left out (interface, section 2.4). @throws {OAuthFailure} for any other scope */
export function checkScope(scope: string | undefined): void {
  if (scope !== undefined && scope !== 'all') throw new OAuthFailure('invalid_scope');
}

/** Finds the credential in a request. Does not check what it allows. */
import type { IncomingHttpHeaders } from 'node:http';
import { LongText } from '../../shared/long-text.ts';
import { Failure } from '../core/failures.ts';
import type { Parameters } from '../http/parameters.ts';

/** The credential of a request. An access token is not an API key, even with the same text. */
export interface Credential {
  readonly value: string;
  readonly isAccessToken: boolean;
}

/** The prefix of every API key. A Bearer token without it is an access token. */
const API_KEY = /^(test|live)_/;

/** The form of the access tokens that the service makes. */
const ACCESS_TOKEN = /^at_[\w-]{43}$/;

/** Whether it is one of an app's access tokens, perhaps an old one. */
export const isMadeToken = ({ value, isAccessToken }: Credential): boolean =>
  isAccessToken && ACCESS_TOKEN.test(value);

/** @returns the credential, or `undefined` if it is missing or empty @throws {Failure} if two credentials differ */
export function findCredential(
  authorization: string | undefined,
  parameters: Parameters,
): Credential | undefined {
  const apiKeys = valuesOf(parameters, 'api_key');
  const accessTokens = valuesOf(parameters, 'access_token');
  const bearer = bearerOf(authorization);
  const [value, another] = new Set([...apiKeys, ...bearer, ...accessTokens]);
  if (value === undefined) return undefined;
  if (another !== undefined)
    throw new Failure('badRequest', 'Expected one credential, got several that differ. Send one of them.');
  const isUnnamed = apiKeys.length === 0 && !API_KEY.test(value);
  return { value, isAccessToken: accessTokens.length > 0 || isUnnamed };
}

function bearerOf(authorization = ''): string[] {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return token === undefined ? [] : [token];
}

/** More characters than any credential has. */
const LONGEST = 1_024;

function valuesOf(parameters: Parameters, name: string): string[] {
  const values = parameters.get(name) ?? [];
  return values.flatMap((given) => {
    // No credential is so long, so its beginning is as unknown as the whole.
    const value = given instanceof LongText ? given.slice(0, LONGEST) : given;
    if (typeof value !== 'string') throw new Failure('badRequest', `Expected ${name} to be a text.`);
    return value === '' ? [] : [value];
  });
}

/** Headers that are not for API keys, although clients of other services send them there. */
const MISPLACED: readonly (readonly [where: string, isSeen: (headers: IncomingHttpHeaders) => boolean])[] = [
  ['"Authorization: Basic"', ({ authorization }) => /^Basic +\S/i.test(authorization ?? '')],
  ['X-API-Key', (headers) => Boolean(headers['x-api-key'])],
];

/** @returns the sentence for a 401 that says where a credential was seen, without the credential, or undefined */
export function misplacedCredential(headers: IncomingHttpHeaders): string | undefined {
  const [where] = MISPLACED.find(([, isSeen]) => isSeen(headers)) ?? [];
  return (
    where &&
    `Expected the API key as api_key, or in the header "Authorization: Bearer YOUR_KEY", got the header ${where}.`
  );
}

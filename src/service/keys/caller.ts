/** Who sends a request: the credential in it, and the key that this is. */
import type { FastifyRequest } from 'fastify';
import { type Parameters, queryParameters } from '../http/parameters.ts';
import { type Credential, findCredential } from './credential.ts';
import type { Key, KeyRing } from './key-ring.ts';

export interface Caller {
  readonly credential: Credential;
  /** `undefined` when nobody knows the credential. */
  readonly key: Key | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** By the query and the headers, once it has been looked up. */
    caller: Caller | undefined;
  }
}

/**
 * By the query and the headers alone. Looked up once for each request, and forgotten with it: a list of the
 * credentials that have been seen would save more digests, and hold the very keys that the ring does not keep.
 *
 * @returns `undefined` when there is no credential
 * @throws {Failure} when two are given that differ
 */
export function callerOfHead(request: FastifyRequest, ring: KeyRing): Caller | undefined {
  request.caller ??= findCaller(request, ring, queryParameters(request));
  return request.caller;
}

/** By the headers and what stands in the query, the body or both. */
export function findCaller(
  request: FastifyRequest,
  ring: KeyRing,
  parameters: Parameters,
): Caller | undefined {
  const credential = findCredential(request.headers.authorization, parameters);
  return credential && { credential, key: keyOf(ring, credential) };
}

/** There are no access tokens before there is OAuth: none is known. */
export function keyOf(ring: KeyRing, { value, isAccessToken }: Credential): Key | undefined {
  return isAccessToken ? undefined : ring.find(value);
}

/** Who sends a request: the credential in it, and the key that this is. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';
import { type Parameters, queryParameters } from '../http/parameters.ts';
import type { Key, KeyRing, MaybePromise } from '../keys/key.ts';
import { type Credential, findCredential } from './credential.ts';

export interface Caller {
  readonly credential: Credential;
  /** `undefined` when the credential is unknown. */
  readonly key: Key | undefined;
}

/**
 * Looks the caller up by the query and the headers alone, and keeps it in `request.caller`. Two credentials that differ
 * become `request.callerFault`, since the response needs its headers before the request can fail.
 *
 * @returns nothing, or a promise where the credential has to be looked up in the database
 */
export function identify(request: FastifyRequest, ring: KeyRing): MaybePromise<void> {
  if (request.isIdentified) return;
  request.isIdentified = true;
  try {
    const caller = findCaller(request, ring, queryParameters(request));
    if (caller instanceof Promise) {
      return caller.then((found) => {
        request.caller = found;
      });
    }
    request.caller = caller;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    request.callerFault = error;
  }
}

/**
 * By the headers and what stands in the query, the body or both.
 *
 * @returns `undefined` when there is no credential
 * @throws {Failure} when two are given that differ
 */
export function findCaller(
  request: FastifyRequest,
  ring: KeyRing,
  parameters: Parameters,
): MaybePromise<Caller | undefined> {
  const credential = findCredential(request.headers.authorization, parameters);
  if (!credential) return undefined;
  const key = credential.isAccessToken ? ring.findAccessToken(credential.value) : ring.find(credential.value);
  return key instanceof Promise ? key.then((found) => ({ credential, key: found })) : { credential, key };
}

/** The caller of a request: its credential, and the key that belongs to it. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import { type Parameters, queryParameters } from '../http/parameters.ts';
import type { Key, KeyRing, MaybePromise } from '../keys/key.ts';
import { type Credential, findCredential } from './credential.ts';

export interface Caller {
  readonly credential: Credential;
  /** `undefined` if the credential is unknown. */
  readonly key: Key | undefined;
}

/**
 * Looks up the caller by the query and the headers, and stores it in `request.caller`. Two different credentials become
 * `request.callerFault`, because the response needs its headers before the request can fail.
 *
 * @returns a promise if the credential must be looked up in the database
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
 * Finds the caller by the headers, and by the query, the body or both.
 *
 * @returns `undefined` when there is no credential @throws {Failure} if two credentials differ
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

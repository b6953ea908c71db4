/** The state that the service attaches to a request. */
import type { FastifyInstance } from 'fastify';
import type { Failure } from '../core/failures.ts';
import type { Query } from '../http/parameters.ts';
import type { Key } from '../keys/key.ts';
import type { Caller } from './caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The query as it was sent, once it has been read. */
    sentQuery: Query | undefined;
    /** Whether the caller of the request has been looked up. */
    isIdentified: boolean;
    /** The caller by the query and headers. `undefined` without a credential there. */
    caller: Caller | undefined;
    /** Why the query and the headers do not identify the caller. */
    callerFault: Failure | undefined;
    /** The key that admitted the request. */
    admitted: Key | undefined;
    /** Whether the request has been counted for the rate limit. */
    isCounted: boolean;
    /** The reason of a refusal, for the log. */
    refusal: string | undefined;
  }
}

/** Gives all requests the same shape from the start, so that V8 accesses their state quickly. */
export function declareRequestState(app: FastifyInstance): void {
  for (const name of ['isIdentified', 'isCounted']) app.decorateRequest(name, false);
  const unknown = [
    ...['sentQuery', 'caller', 'callerFault', 'admitted', 'refusal'],
    ...['bodyOwner', 'held', 'largeBody', 'largeField'],
  ];
  for (const name of unknown) app.decorateRequest(name, undefined);
}

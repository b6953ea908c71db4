/** Everything that is found out about a request and stays with it, in one place. */
import type { FastifyInstance } from 'fastify';
import type { Caller } from './access/caller.ts';
import type { Failure } from './failures.ts';
import type { Query } from './http/parameters.ts';
import type { Key } from './keys/key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The query as it was sent, once it has been read. */
    sentQuery: Query | undefined;
    /** Whether it has been found out who sends the request. */
    isIdentified: boolean;
    /** Who sends the request, by its query and headers. `undefined` without a credential there. */
    caller: Caller | undefined;
    /** Why the query and the headers do not say who sends the request. */
    callerFault: Failure | undefined;
    /** The key with which the request was let in. */
    admitted: Key | undefined;
    /** Whether the request has been counted for the rate limit. */
    isCounted: boolean;
    /** What the log says of a refusal, besides its status. */
    refusal: string | undefined;
  }
}

/** Gives every request the same shape from the beginning, which keeps access to its state fast. */
export function declareRequestState(app: FastifyInstance): void {
  for (const name of ['isIdentified', 'isCounted']) app.decorateRequest(name, false);
  for (const name of ['sentQuery', 'caller', 'callerFault', 'admitted', 'refusal']) {
    app.decorateRequest(name, undefined);
  }
}

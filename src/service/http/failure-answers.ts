/** Turns whatever ends a request without a result into `{"message": …}`. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, failureOfStatus } from '../failures.ts';
import { describeError, type Log } from '../log.ts';
import { setCommonHeaders } from './answer-headers.ts';
import { bodyTooLarge } from './body-limit.ts';
import { closeGentlyAfter } from './gentle-close.ts';

const TOO_LARGE = 413;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Makes the body of a route's failures. @default `{"message": …}` */
    failureBody?: (failure: Failure) => object;
  }
}

const messageOf = ({ message }: Failure) => ({ message });

/** Makes the app answer failures, unknown addresses and wrong methods in one shape. Comes before any route is added.
 *
 * @param recognise finds the failure for an error of another room
 * @returns for a scope whose failures have another shape
 */
export function answerFailures(
  app: FastifyInstance,
  lingerMs: number,
  log: Log,
  recognise: (error: unknown) => Failure | undefined = () => undefined,
): HandleErrors {
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), method].flat());
  });

  // Before a body is read: what is wrong with it does not matter where nothing takes it.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) {
      done();
      return;
    }
    const methods = methodsOf.get(request.raw.url?.replace(/\?.*$/s, '') ?? '');
    if (!methods || methods.includes(request.method)) throw new Failure('notFound');
    throw new Failure('methodNotAllowed', undefined, { Allow: [...new Set(methods)].join(', ') });
  });
  app.setNotFoundHandler(() => {
    throw new Failure('notFound');
  });

  const handleWith: HandleErrors = (send) => (error, request, reply) => {
    const failure = toFailure(error, request, recognise);
    request.refusal = failure.reason;
    // A failure that is simulated is not unexpected.
    if (failure.status === 500 && failure !== error) log('error', 'unexpected error', describeError(error));
    // An answer that came before its request was read whole must not be followed by another on that connection.
    if (!request.raw.complete) {
      reply.header('Connection', 'close');
      closeGentlyAfter(request.raw, lingerMs);
    }
    return send(reply, failure);
  };
  app.setErrorHandler(handleWith(sendFailure));
  return handleWith;
}

/** Makes an error handler of what sends a failure in the shape of some routes. */
export type HandleErrors = (
  send: (reply: FastifyReply, failure: Failure) => FastifyReply,
) => (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function toFailure(
  error: FastifyError,
  request: FastifyRequest,
  recognise: (error: unknown) => Failure | undefined,
): Failure {
  if (error instanceof Failure) return error;
  // Fastify has stopped reading: its message does not say what the route takes.
  if (error.statusCode === TOO_LARGE) return bodyTooLarge(request);
  return recognise(error) ?? failureOfStatus(error.statusCode ?? 500);
}

/** For what the framework refuses before any hook has run, such as an address with broken escapes. */
export function answerFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  setCommonHeaders(request, reply);
  sendFailure(reply, failureOfStatus(error.statusCode ?? 400));
}

export function sendFailure(reply: FastifyReply, failure: Failure): FastifyReply {
  const { failureBody = messageOf } = reply.request.routeOptions.config;
  return reply.code(failure.status).headers(failure.headers).send(failureBody(failure));
}

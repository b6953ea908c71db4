/** Turns whatever ends a request without a result into `{"message": …}`. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, failureOfStatus, Refusal } from '../failures.ts';
import { describeError, type Log } from '../log.ts';
import { setCommonHeaders } from './answer-headers.ts';
import { closeGentlyAfter } from './gentle-close.ts';

/** Makes the app answer failures, unknown addresses and wrong methods in one shape. Comes before any route is added.
 *
 * @param recognise finds the failure for an error of another room
 */
export function answerFailures(
  app: FastifyInstance,
  lingerMs: number,
  log: Log,
  recognise: (error: unknown) => Failure | undefined = () => undefined,
): void {
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

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure =
      error instanceof Failure ? error : (recognise(error) ?? failureOfStatus(error.statusCode ?? 500));
    if (failure instanceof Refusal) request.refusal = failure.reason;
    if (failure.status === 500) log('error', 'unexpected error', describeError(error));
    // An answer that came before its request was read whole must not be followed by another on that connection.
    if (!request.raw.complete) {
      reply.header('Connection', 'close');
      closeGentlyAfter(request.raw, lingerMs);
    }
    return sendFailure(reply, failure);
  });
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
  return reply.code(failure.status).headers(failure.headers).send({ message: failure.message });
}

/** Turns every failure of a request into `{"message": …}`. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, failureOfStatus } from '../core/failures.ts';
import { describeError, type Log } from '../core/log.ts';
import { setCommonHeaders } from './answer-headers.ts';
import { bodyTooLarge } from './body-limit.ts';
import { closeGentlyAfter } from './gentle-close.ts';

const TOO_LARGE = 413;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Builds the body of a route's failures. @default `{"message": …}` */
    failureBody?: (failure: Failure) => object;
  }
}

const messageOf = ({ message, fields }: Failure) => ({ message, ...fields });

/**
 * Makes the app answer failures, unknown URLs and wrong methods in one format. Call it before any route is added.
 *
 * @param recognise converts an error of another room to a failure @param send sends a failure that no scope has sent
 * @returns the same for a scope whose failures have another format
 */
export function answerFailures(
  app: FastifyInstance,
  lingerMs: number,
  log: Log,
  recognise: (error: unknown) => Failure | undefined = () => undefined,
  send: SendFailure = sendFailure,
): HandleErrors {
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), method].flat());
  });

  // Runs before the body is read, because no route would use the body.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const methods = methodsOf.get(request.raw.url?.replace(/\?.*$/s, '') ?? '');
    if (!methods || methods.includes(request.method)) throw new Failure('notFound');
    throw new Failure('methodNotAllowed', undefined, { Allow: [...new Set(methods)].join(', ') });
  });
  app.setNotFoundHandler(() => {
    throw new Failure('notFound');
  });

  const handleWith: HandleErrors = (sendOwn) => (error, request, reply) => {
    const failure = toFailure(error, request, recognise);
    request.refusal = failure.reason;
    // A simulated failure is expected.
    if (failure.status === 500 && failure !== error) log('error', 'unexpected error', describeError(error));
    // If the response came before the whole request was read, the connection cannot be used for another request. Nor after a request whose end is unclear.
    if (!request.raw.complete || 'Connection' in failure.headers) {
      reply.header('Connection', 'close');
      closeGentlyAfter(request.raw, lingerMs);
    }
    return sendOwn(reply, failure);
  };
  app.setErrorHandler(handleWith(send));
  return handleWith;
}

export type SendFailure = (reply: FastifyReply, failure: Failure) => FastifyReply;

/** Creates an error handler from a function that sends a failure. */
export type HandleErrors = (
  send: SendFailure,
) => (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function toFailure(
  error: FastifyError,
  request: FastifyRequest,
  recognise: (error: unknown) => Failure | undefined,
): Failure {
  if (error instanceof Failure) return error;
  // Fastify has stopped reading, and its message does not state the route's limit.
  if (error.statusCode === TOO_LARGE) return bodyTooLarge(request);
  return recognise(error) ?? failureOfStatus(error.statusCode ?? 500);
}

/** Answers requests that the framework refuses before any hook, such as a URL with broken escapes. */
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
  // A route that writes its own JSON has set a serialiser, and Fastify adds the type only without one.
  const type = 'application/json; charset=utf-8';
  return reply.code(failure.status).type(type).headers(failure.headers).send(failureBody(failure));
}

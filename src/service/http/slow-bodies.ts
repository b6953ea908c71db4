/**
 * Limits how long the body of a request may take to arrive. Node has one limit for all requests, but an upload takes
 * longer than any other body may.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Timeouts } from '../core/bounds.ts';
import { hasBody } from './body-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | undefined;
    /** Gives the body of this request the time of an upload. For those that the service knows, because it is a long time. */
    awaitUpload(): void;
    /** Gives the body of this request its time once more, from now on. */
    awaitBody(): void;
    /** Keeps the connection until the response, even if that takes longer than a client may be silent. */
    awaitWork(): void;
  }
}

/** Add it after the hook that ignores closing connections. */
export function limitBodyTime(app: FastifyInstance, timeouts: Pick<Timeouts, 'request' | 'upload'>): void {
  const start = (request: FastifyRequest, limitMs: number) => {
    const { raw } = request;
    clearTimeout(request.bodyTimer);
    request.bodyTimer = setTimeout(() => {
      // As Node reports its own time limits.
      const code = 'ERR_HTTP_REQUEST_TIMEOUT';
      const late = Object.assign(new Error('The request took too long.'), { code });
      // Node knows first whether it has come, and a request of a test without a connection only whether it was read.
      if (!raw.complete && !raw.readableEnded) app.server.emit('clientError', late, raw.socket);
    }, limitMs);
    request.bodyTimer.unref();
  };
  app.decorateRequest('bodyTimer', undefined);
  app.decorateRequest('awaitBody', function awaitBody(this: FastifyRequest) {
    start(this, timeouts.request);
  });
  app.decorateRequest('awaitUpload', function awaitUpload(this: FastifyRequest) {
    start(this, timeouts.upload);
    this.awaitWork();
  });
  app.decorateRequest('awaitWork', function awaitWork(this: FastifyRequest) {
    // Node sets the time of the connection again for its next request. A test without a connection has none.
    (this.raw.socket as Partial<Socket>).setTimeout?.(0);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) start(request, timeouts.request);
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    clearTimeout(request.bodyTimer);
    done();
  });
}

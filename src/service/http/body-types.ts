/** The types of bodies that the service reads. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import { hasBody } from './body-limit.ts';
import { acceptMultipart } from './multipart.ts';
import { parseFormBody, parseJsonBody } from './parameters.ts';

/** Form-encoded, multipart and JSON bodies all become the same pairs. Other types and compressed bodies get a 415. */
export function readBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    refuseCoded(request);
    done();
  });
  app.removeAllContentTypeParsers();
  const parseJson = (_request: FastifyRequest, bytes: Buffer) => parseJsonBody([bytes]);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson);
  const parseForm = (_request: FastifyRequest, bytes: Buffer) => parseFormBody([bytes]);
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, parseForm);
  acceptMultipart(app);
}

/** Without this, a compressed body would be read as broken text. */
function refuseCoded(request: FastifyRequest): void {
  const coding = request.raw.headers['content-encoding'];
  if (coding === undefined || !hasBody(request) || /^(identity)?$/i.test(coding.trim())) return;
  // RFC 9110, section 15.5.16: the header says what the server takes.
  throw new Failure('bodyNotSupported', 'Expected a body that is not compressed, without Content-Encoding.', {
    'Accept-Encoding': 'identity',
  });
}

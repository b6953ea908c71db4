/** The types of bodies that the service reads. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptMultipart } from './multipart.ts';
import { parseFormBody, parseJsonBody } from './parameters.ts';

/** Form-encoded, multipart and JSON bodies all become the same pairs. Other types get a 415. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parseJson = (_request: FastifyRequest, bytes: Buffer) => parseJsonBody(bytes);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson);
  const parseForm = (_request: FastifyRequest, bytes: Buffer) => parseFormBody(bytes);
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, parseForm);
  acceptMultipart(app);
}

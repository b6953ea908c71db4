/** The types of bodies that the service reads. */
import formBody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_FIELDS } from '../bounds.ts';
import { parseFormBody, parseJsonBody } from './parameters.ts';

/** Form-encoded, multipart and JSON bodies all become the same pairs. Other types get a 415. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parseJson = async (_request: FastifyRequest, bytes: Buffer) => parseJsonBody(bytes);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson);
  app.register(formBody, { parser: parseFormBody });
  // The route limits the size of a field: see `readMultipart`.
  app.register(multipart, { limits: { fields: MAX_FIELDS, parts: MAX_FIELDS } });
}

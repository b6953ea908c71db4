/** The query of a request, in the form that filters read. */
import type { FastifyRequest } from 'fastify';
import type { Values } from '../../batch/results/result-filter.ts';
import { queryParameters } from '../../http/parameters.ts';

export function valuesOf(request: FastifyRequest): Values {
  const parameters = queryParameters(request);
  return (name) => (parameters.get(name) ?? []).map(String);
}

/** What a request says, gathered from its query and its body in one place, before anybody judges it. */
import type { FastifyRequest } from 'fastify';
import { MAX_FIELDS } from '../bounds.ts';
import { Failure } from '../failures.ts';
import { parseJson } from '../json.ts';
import { bodyLimitOf, bodyTooLarge } from './body-limit.ts';
import { type Form, holdsBrokenBytes, parseForm } from './form.ts';

/** Every value that was given for a name, wherever. */
export type Parameters = ReadonlyMap<string, readonly unknown[]>;

/** A body as its parser leaves it: a name may be there more than once. */
type ParsedBody = { readonly pairs: readonly [string, unknown][] };

/** The query as it was sent, and what it says. */
export interface Query {
  readonly form: Form;
  readonly parameters: Parameters;
}

/** The query's parameters as they are: wrong escapes are left for `wellFormedQuery` to refuse. */
export function queryParameters(request: FastifyRequest): Parameters {
  return readQuery(request).parameters;
}

/**
 * The very ones of `queryParameters`.
 *
 * @throws {Failure} for wrong escapes
 */
export function wellFormedQuery(request: FastifyRequest): Parameters {
  const { form, parameters } = readQuery(request);
  if (!form.isWellFormed)
    throw new Failure('badRequest', 'Expected UTF-8 with percent-encoding in the query.');
  return parameters;
}

/**
 * The parameters of query and body together.
 *
 * @returns the very ones of `queryParameters` when the body says nothing
 * @throws {Failure} for what cannot be read
 */
export async function gatherParameters(request: FastifyRequest): Promise<Parameters> {
  const parameters = wellFormedQuery(request);
  const pairs = await readBody(request);
  return pairs.length === 0 ? parameters : collect([...readQuery(request).form.pairs, ...pairs]);
}

/**
 * The parameters of the body alone.
 *
 * @throws {Failure} for a body that cannot be read
 */
export async function bodyParameters(request: FastifyRequest): Promise<Parameters> {
  return collect(await readBody(request));
}

/** Turns a JSON body into pairs, as a form's would be. An empty body says nothing, which is no fault. */
export function parseJsonBody(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return { pairs: [] };
  let body: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.trim() === '') return { pairs: [] };
    body = parseJson(text);
  } catch (error) {
    const why = (error as Error).message.includes('there twice') ? ' in which no name is there twice' : '';
    throw new Failure('badRequest', `Expected a body of well-formed JSON in UTF-8${why}.`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Failure('badRequest', 'Expected a JSON object in the body.');
  }
  return { pairs: Object.entries(body) };
}

/** Turns a form-encoded body into pairs. */
export function parseFormBody(text: string): ParsedBody {
  const { pairs, isWellFormed } = parseForm(text);
  if (!isWellFormed) throw new Failure('badRequest', 'Expected UTF-8 with percent-encoding in the body.');
  return { pairs };
}

async function readBody(request: FastifyRequest): Promise<ParsedBody['pairs']> {
  if (request.isMultipart()) return readMultipart(request);
  return (request.body as ParsedBody | undefined | null)?.pairs ?? [];
}

async function readMultipart(request: FastifyRequest): Promise<[string, unknown][]> {
  const pairs: [string, unknown][] = [];
  const limit = bodyLimitOf(request);
  if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(request);
  let size = 0;
  try {
    for await (const part of request.parts({ limits: { fieldSize: limit } })) {
      if (part.type === 'file') throw new Failure('badRequest', 'Expected form fields only, got a file.');
      size += Buffer.byteLength(`${part.fieldname}${part.value}`);
      if (part.valueTruncated || size > limit) throw bodyTooLarge(request);
      if (holdsBrokenBytes(`${part.fieldname}${part.value}`))
        throw new Failure('badRequest', 'Expected UTF-8 in the body.');
      pairs.push([part.fieldname, part.value]);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    if ((error as { statusCode?: number }).statusCode === 413)
      throw new Failure('bodyTooLarge', `Expected at most ${MAX_FIELDS} fields in the body.`);
    throw new Failure('badRequest', 'Expected a body of well-formed multipart/form-data.');
  }
  return pairs;
}

/** Read once for each request, however often it is asked for. */
function readQuery(request: FastifyRequest): Query {
  if (request.sentQuery) return request.sentQuery;
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  const form = parseForm(start < 0 ? '' : url.slice(start + 1));
  request.sentQuery = { form, parameters: collect(form.pairs) };
  return request.sentQuery;
}

function collect(pairs: readonly [string, unknown][]): Parameters {
  const parameters = new Map<string, unknown[]>();
  for (const [name, value] of pairs) {
    const values = parameters.get(name);
    if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  return parameters;
}

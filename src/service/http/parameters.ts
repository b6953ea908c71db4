/** Gathers the parameters of a request from its query and body, before they are checked. */
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { MAX_FIELDS, MAX_PAIRS } from '../bounds.ts';
import { Failure } from '../failures.ts';
import { JsonShapeError, parseJson } from '../json.ts';
import { bodyLimitOf, bodyTooLarge } from './body-limit.ts';
import { type Form, holdsBrokenBytes, parseForm } from './form.ts';

/** All values of each name. */
export type Parameters = ReadonlyMap<string, readonly unknown[]>;

/** A parsed body. A name may occur several times. */
type ParsedBody = { readonly pairs: readonly [string, unknown][] };

/** The query as sent, and its parameters. */
export interface Query {
  readonly form: Form;
  readonly parameters: Parameters;
}

/** The query's parameters as sent. `wellFormedQuery` refuses wrong escapes. */
export function queryParameters(request: FastifyRequest): Parameters {
  return readQuery(request).parameters;
}

/**
 * The same object as from `queryParameters`.
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
 * @returns the same object as from `queryParameters` if the body has no parameters @throws {Failure} for an unreadable
 * query or body
 */
export async function gatherParameters(request: FastifyRequest): Promise<Parameters> {
  const parameters = wellFormedQuery(request);
  const pairs = await readBody(request);
  return pairs.length === 0 ? parameters : collect([...readQuery(request).form.pairs, ...pairs]);
}

/**
 * The parameters of the body only.
 *
 * @throws {Failure} for an unreadable body
 */
export async function bodyParameters(request: FastifyRequest): Promise<Parameters> {
  return collect(await readBody(request));
}

/** Turns a JSON body into pairs, like those of a form. An empty body is allowed. */
export function parseJsonBody(bytes: Buffer): ParsedBody {
  const body = parseWhole(bytes);
  if (body === undefined) return { pairs: [] };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Failure('badRequest', 'Expected a JSON object in the body.');
  }
  return { pairs: Object.entries(body) };
}

/** @returns undefined for an empty body */
function parseWhole(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.trim() === '' ? undefined : parseJson(text, MAX_PAIRS);
  } catch (error) {
    const shape = error instanceof JsonShapeError ? ` ${error.expected}` : '';
    throw new Failure('badRequest', `Expected a body of well-formed JSON in UTF-8${shape}.`);
  }
}

/** Turns a form-encoded body into pairs. */
export function parseFormBody(text: string): ParsedBody {
  if (text.split('&', MAX_PAIRS + 1).length > MAX_PAIRS) throw tooManyFields(MAX_PAIRS);
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
  // The bytes around the fields count too.
  request.raw.on('data', (bytes: Buffer) => {
    size += bytes.length;
  });
  try {
    const limits = { fieldSize: limit, fileSize: limit };
    for await (const part of request.parts({ limits, isPartAFile })) {
      const value = part.type === 'file' ? await readJsonPart(part) : part.value;
      if ((part.type === 'field' && part.valueTruncated) || size > limit) throw bodyTooLarge(request);
      if (holdsBrokenBytes(part.fieldname) || (typeof value === 'string' && holdsBrokenBytes(value)))
        throw new Failure('badRequest', 'Expected UTF-8 in the body.');
      pairs.push([part.fieldname, value]);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    if ((error as { statusCode?: number }).statusCode === 413) throw tooManyFields(MAX_FIELDS);
    throw new Failure('badRequest', 'Expected a body of well-formed multipart/form-data.');
  }
  if (size > limit) throw bodyTooLarge(request);
  return pairs;
}

/** The parser's default, plus JSON, which the parser would otherwise parse without a limit. */
const isPartAFile = (_name?: string, type?: string, fileName?: string) =>
  fileName !== undefined || type === 'application/octet-stream' || isJson(type);
const isJson = (type?: string) => type?.startsWith('application/json') ?? false;

/** Reads a field with the type JSON. */
async function readJsonPart(part: MultipartFile): Promise<unknown> {
  if (part.filename !== undefined || !isJson(part.mimetype)) {
    throw new Failure('badRequest', 'Expected form fields only, got a file.');
  }
  return parseWhole(await part.toBuffer());
}

function tooManyFields(most: number): Failure {
  return new Failure('bodyTooLarge', `Expected at most ${most} fields in the body.`);
}

/** Parses the query once for each request. */
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

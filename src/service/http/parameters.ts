/** Collects the parameters of a request from its query and body, before they are checked. */
import type { FastifyRequest } from 'fastify';
import { LongText } from '../../shared/long-text.ts';
import { atOnce, inSteps, STEP_CHARACTERS, type Steps } from '../../shared/steps.ts';
import { JSON_LIMITS, MAX_FIELDS, MAX_PAIRS } from '../core/bounds.ts';
import { Failure } from '../core/failures.ts';
import { JsonShapeError, parseJsonInSteps } from '../core/json.ts';
import { Blocks, inBlocks } from './blocks.ts';
import { bodyLimitOf, bodyTooLarge } from './body-limit.ts';
import { beginParsing, countBody } from './body-room.ts';
import { type Form, holdsBrokenBytes, parseForm, parseFormInSteps } from './form-body.ts';
import {
  isMalformed,
  type LargeBody,
  largeBodyOf,
  openField,
  restTooLong,
  severalValues,
  textsOf,
} from './large-field.ts';
import { LargeJson } from './large-json.ts';
import { isMultipart, type Part, readParts } from './multipart.ts';

/** All values of each name. */
export type Parameters = ReadonlyMap<string, readonly unknown[]>;

/** A parsed body. A name may occur several times. */
export type ParsedBody = { readonly pairs: readonly [string, unknown][] };

/** The query as sent, and its parameters. */
export interface Query {
  readonly form: Form;
  readonly parameters: Parameters;
}

/** The query's parameters as sent. `wellFormedQuery` refuses wrong escapes. */
export function queryParameters(request: FastifyRequest): Parameters {
  return readQuery(request).parameters;
}

/** The same object as from `queryParameters`. @throws {Failure} for wrong escapes */
export function wellFormedQuery(request: FastifyRequest): Parameters {
  const { form, parameters } = readQuery(request);
  if (!form.isWellFormed)
    throw new Failure('badRequest', 'Expected UTF-8 with percent-encoding in the query.');
  return parameters;
}

/**
 * The parameters of query and body together.
 *
 * @param files the parameters that a multipart body may have as files @returns the same object as from
 * `queryParameters` if the body has no parameters @throws {Failure} for an unreadable query or body
 */
export async function collectParameters(
  request: FastifyRequest,
  files: readonly string[] = [],
): Promise<Parameters> {
  const parameters = wellFormedQuery(request);
  const pairs = await readBody(request, files);
  return pairs.length === 0 ? parameters : collect([...readQuery(request).form.pairs, ...pairs]);
}

/** The parameters of the body only. @throws {Failure} for an unreadable body */
export async function bodyParameters(request: FastifyRequest): Promise<Parameters> {
  return collect(await readBody(request));
}

/** Turns a JSON body into pairs, like those of a form. An empty body is allowed. */
export async function parseJsonBody(pieces: readonly Buffer[]): Promise<ParsedBody> {
  const body = await parseWhole(pieces);
  if (body === undefined) return { pairs: [] };
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Failure('badRequest', 'Expected a JSON object in the body.');
  return { pairs: Object.entries(body) };
}

/** @returns undefined for an empty body */
async function parseWhole(pieces: readonly Buffer[]): Promise<unknown> {
  try {
    return await run(parseText(pieces), pieces);
  } catch (error) {
    const shape = error instanceof JsonShapeError ? ` ${error.expected}` : '';
    throw malformedJson(shape);
  }
}

export const malformedJson = (shape = '') =>
  new Failure('badRequest', `Expected a body of well-formed JSON in UTF-8${shape}.`);
export const malformedForm = () =>
  new Failure('badRequest', 'Expected UTF-8 with percent-encoding in the body.');

function* parseText(bytes: readonly Buffer[]): Steps<unknown> {
  const text = yield* decode(bytes);
  return text.trim() === '' ? undefined : yield* parseJsonInSteps(text, JSON_LIMITS);
}

/** Turns a form-encoded body into pairs. */
export async function parseFormBody(pieces: readonly Buffer[]): Promise<ParsedBody> {
  const { pairs, isWellFormed } = await run(parseFormText(pieces), pieces);
  if (!isWellFormed) throw malformedForm();
  return { pairs };
}

function* parseFormText(bytes: readonly Buffer[]): Steps<Form> {
  const text = yield* decodeOrRefuse(bytes, malformedForm);
  yield;
  let fields = 0;
  for (const _ of typeof text === 'string' ? text.split('&', MAX_PAIRS + 1) : text.split('&')) {
    fields += 1;
    if (fields > MAX_PAIRS) throw tooManyFields(MAX_PAIRS);
  }
  return yield* parseFormInSteps(text);
}

/** A small body takes less time than to wait for another turn. */
async function run<Result>(steps: Steps<Result>, pieces: readonly Buffer[]): Promise<Result> {
  return sizeOf(pieces) > STEP_CHARACTERS ? inSteps(steps) : atOnce(steps);
}

const sizeOf = (pieces: readonly Buffer[]) => pieces.reduce((size, { length }) => size + length, 0);

/** @returns a `LongText` of a text that is too long for one step @throws {TypeError} for bytes that are not UTF-8 */
function* decode(bytes: readonly Buffer[]): Steps<string | LongText> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const texts: string[] = [];
  let read = 0;
  for (const piece of bytes) {
    for (let start = 0; start < piece.length; start += STEP_CHARACTERS) {
      const part = piece.subarray(start, start + STEP_CHARACTERS);
      read += part.length;
      if (read > STEP_CHARACTERS) {
        yield;
        read = part.length;
      }
      texts.push(decoder.decode(part, { stream: true }));
    }
  }
  texts.push(decoder.decode());
  return new LongText(texts).part(0);
}

function* decodeOrRefuse(bytes: readonly Buffer[], refusal: () => Failure): Steps<string | LongText> {
  try {
    return yield* decode(bytes);
  } catch (error) {
    throw isMalformed(error) ? refusal() : error;
  }
}

async function readBody(
  request: FastifyRequest,
  files: readonly string[] = [],
): Promise<ParsedBody['pairs']> {
  if (isMultipart(request)) return readMultipart(request, files);
  return (request.body as ParsedBody | undefined | null)?.pairs ?? [];
}

async function readMultipart(
  request: FastifyRequest,
  files: readonly string[],
): Promise<[string, unknown][]> {
  const pairs: [string, unknown][] = [];
  const bytes = bodyLimitOf(request);
  const large = largeBodyOf(request);
  let size = 0;
  // Beside the large field. Without one, `bytes` is the limit of all.
  let room = large ? request.routeOptions.bodyLimit : bytes;
  if (Number(request.headers['content-length']) > bytes) throw bodyTooLarge(request);
  try {
    for await (const part of readParts(request, { parts: MAX_FIELDS, bytes })) {
      if (holdsBrokenBytes(part.name)) throw notUtf8();
      refuseFile(part, files);
      if (large?.field === part.name) {
        pairs.push([part.name, await readLargeField(part, request, large)]);
        continue;
      }
      const field = new Blocks();
      let length = 0;
      for await (const chunk of part.bytes) {
        length += chunk.length;
        size += chunk.length;
        await countBody(request, size);
        room -= chunk.length;
        if (large && room < 0) throw restTooLong(large.field, request.routeOptions.bodyLimit);
        field.add(chunk);
      }
      await beginParsing(request, length);
      pairs.push([part.name, await readField(part.type, field.pieces)]);
    }
  } catch (error) {
    // What the system says is about a file of the service.
    if (error instanceof Failure || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new Failure('badRequest', 'Expected a body of well-formed multipart/form-data.');
  }
  return pairs;
}

const notUtf8 = () => new Failure('badRequest', 'Expected UTF-8 in the body.');

/** A file counts as its text, as if the field contained it. */
function refuseFile({ name, fileName, type }: Part, files: readonly string[]): void {
  if (files.includes(name) || (fileName === undefined && type !== 'application/octet-stream')) return;
  const shown = JSON.stringify(name.slice(0, LONGEST_NAME));
  throw new Failure('badRequest', `Expected form fields only, got a file in ${shown}.`);
}

async function readField(type: string, field: readonly Buffer[]): Promise<unknown> {
  if (type === 'application/json') return parseWhole(field);
  return run(decodeOrRefuse(field, notUtf8), field);
}

async function readLargeField(
  { type, bytes }: Part,
  request: FastifyRequest,
  large: LargeBody,
): Promise<unknown> {
  if (request.largeField) throw severalValues(large.field);
  const field = openField(request, large);
  const isJson = type === 'application/json';
  try {
    if (!isJson) {
      for await (const text of textsOf(inBlocks(bytes))) await field.addText(text);
      return await field.end();
    }
    const lifter = new LargeJson(large.field, field, request.routeOptions.bodyLimit);
    await lifter.add(`{${JSON.stringify(large.field)}:`);
    for await (const text of textsOf(inBlocks(bytes))) await lifter.add(text);
    await lifter.add('}');
    const { pairs } = await parseJsonBody(await lifter.end());
    const [[, value], ...others] = pairs as [ParsedBody['pairs'][number]];
    // The part has closed the object around it.
    if (others.length > 0) throw malformedJson();
    return lifter.isLifted ? await field.end() : value;
  } catch (error) {
    if (!isMalformed(error)) throw error;
    throw isJson ? malformedJson() : notUtf8();
  }
}

/** How much of a field's name a message quotes. */
const LONGEST_NAME = 40;

export const tooManyFields = (most: number) =>
  new Failure('bodyTooLarge', `Expected at most ${most} fields in the body.`);

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

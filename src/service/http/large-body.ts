/** Reads bodies with a field that may be large. The rest of such a body is read as any other. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import { Blocks, inBlocks } from './blocks.ts';
import { bodyLimitOf, bodyTooLarge } from './body-limit.ts';
import { beginParsing, countBody, holdBodies } from './body-room.ts';
import { isMalformed, type LargeBody, largeBodyOf, openField, textsOf } from './large-field.ts';
import { LargeForm } from './large-form.ts';
import { LargeJson } from './large-json.ts';
import { malformedForm, malformedJson, type ParsedBody, parseFormBody, parseJsonBody } from './parameters.ts';

interface Encoding {
  readonly parse: (pieces: readonly Buffer[]) => Promise<ParsedBody>;
  readonly Lifter: typeof LargeJson | typeof LargeForm;
  readonly malformed: () => Failure;
}

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  'application/json': { parse: parseJsonBody, Lifter: LargeJson, malformed: malformedJson },
  'application/x-www-form-urlencoded': { parse: parseFormBody, Lifter: LargeForm, malformed: malformedForm },
};

/** Replaces the parsers of this scope. */
export function readLargeBodies(app: FastifyInstance): void {
  for (const [type, encoding] of Object.entries(ENCODINGS)) {
    app.removeContentTypeParser(type);
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: Readable) => {
      const large = largeBodyOf(request);
      if (large) return readLarge(request, payload, large, encoding);
      const body = new Blocks();
      let size = 0;
      for await (const piece of piecesOf(request, payload)) {
        size += piece.length;
        await countBody(request, size);
        body.add(piece);
      }
      await beginParsing(request, size);
      return encoding.parse(body.pieces);
    });
  }
  holdBodies(app);
}

async function readLarge(
  request: FastifyRequest,
  payload: Readable,
  large: LargeBody,
  { parse, Lifter, malformed }: Encoding,
): Promise<ParsedBody> {
  const field = openField(request, large);
  const lifter = new Lifter(large.field, field, request.routeOptions.bodyLimit);
  try {
    for await (const text of textsOf(inBlocks(piecesOf(request, payload)))) await lifter.add(text);
    const { pairs } = await parse(await lifter.end());
    if (!lifter.isLifted) return { pairs };
    const value = await field.end();
    return { pairs: pairs.map(([name, given]) => [name, name === large.field ? value : given]) };
  } catch (error) {
    // Also what it has taken after the client had gone.
    await field.close();
    throw isMalformed(error) ? malformed() : error;
  }
}

/** @throws {Failure} 413 for a body over its limit, as soon as that is known */
async function* piecesOf(request: FastifyRequest, payload: Readable): AsyncGenerator<Buffer> {
  const most = bodyLimitOf(request);
  if (Number(request.headers['content-length']) > most) throw bodyTooLarge(request);
  let size = 0;
  try {
    // Whoever stops in the middle still sends a response.
    for await (const piece of payload.iterator({ destroyOnReturn: false })) {
      size += (piece as Buffer).length;
      if (size > most) throw bodyTooLarge(request);
      yield piece as Buffer;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('badRequest', 'Expected a whole body, but it breaks off.');
  }
}

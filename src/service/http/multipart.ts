/** Reads multipart bodies part by part, while they arrive. */
import { on } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nextTurn } from '../../shared/steps.ts';
import { Failure } from '../core/failures.ts';
import { bodyTooLarge } from './body-limit.ts';

export interface Part {
  readonly name: string;
  /** Absent if the part is not a file. */
  readonly fileName: string | undefined;
  /** Its media type, without parameters. */
  readonly type: string;
  /** Read all of them before you ask for the next part. */
  readonly bytes: AsyncIterable<Buffer>;
}

export interface MultipartLimits {
  readonly parts: number;
  /** For the whole body, with all that is around its parts. @default none */
  readonly bytes?: number;
}

const TYPE = 'multipart/form-data';
/** Stands for a body that has not been read yet. */
const UNREAD = Symbol(TYPE);

/** Leaves multipart bodies to `readParts`. */
export function acceptMultipart(app: FastifyInstance): void {
  app.addContentTypeParser(TYPE, (_request, _payload, done) => done(null, UNREAD));
}

export const isMultipart = ({ body }: FastifyRequest): boolean => body === UNREAD;

/** What the parser emits for each part. */
type FileEvent = [
  name: string,
  bytes: Readable,
  fileName: string | undefined,
  encoding: string,
  type: string,
];

/** How many bytes the parser gets at once. Parts can be tiny, and each takes the parser some microseconds. */
const SLICE = 4 * 1024;
/** How many it gets of a body in one turn of the event loop. A connection may bring two megabytes in one. */
const MOST_OF_TURN = 64 * 1024;

/**
 * Reads no further than its caller does. The rest of the body stays unread.
 *
 * @throws {Failure} 413 for a body over the limits
 * @throws {Error} for a body that is malformed or breaks off
 */
export async function* readParts(
  request: FastifyRequest,
  { parts, bytes: most = Number.POSITIVE_INFINITY }: MultipartLimits,
): AsyncGenerator<Part, void> {
  const { raw } = request;
  const parser = new Busboy({
    headers: raw.headers as BusboyHeaders,
    limits: { parts },
    // It decodes only the names then.
    isPartAFile: () => true,
  });
  let current: Readable | undefined;
  const fail = (error: Error) => {
    current?.destroy(error);
    parser.destroy(error);
  };
  // Whoever reads gets the error. It must not end the process if nobody does.
  parser.on('error', () => {});
  parser.on('file', (_name, file) => {
    current = file.on('error', () => {});
  });
  parser.once('partsLimit', () => {
    fail(new Failure('bodyTooLarge', `Expected at most ${parts} fields in the body.`));
  });
  const files = on(parser, 'file', { close: ['finish'] }) as AsyncIterable<FileEvent>;

  let [size, ofTurn, waits] = [0, 0, 0];
  const feed = (chunk: Buffer) => {
    size += chunk.length;
    ofTurn += chunk.length;
    if (size > most) fail(bodyTooLarge(request));
    for (let at = 0; at < chunk.length && !parser.destroyed; at += SLICE)
      if (parser.writable) parser.write(chunk.subarray(at, at + SLICE));
    if (parser.writableNeedDrain) parser.once('drain', pause());
    if (ofTurn < MOST_OF_TURN) return;
    ofTurn = 0;
    void nextTurn().then(pause());
  };
  /** @returns reads on, once nothing else waits */
  const pause = () => {
    raw.pause();
    waits += 1;
    return () => {
      waits -= 1;
      // Once it has been read or refused, the rest stays unread.
      if (waits === 0 && raw.listeners('data').includes(feed)) raw.resume();
    };
  };
  const finish = () => parser.end();
  const breakOff = () => {
    if (!raw.readableEnded) fail(new Error('the body breaks off'));
  };
  if (raw.destroyed) breakOff();
  raw.on('data', feed).once('end', finish).once('close', breakOff);
  try {
    for await (const [name, bytes, fileName, , type] of files) yield { name, fileName, type, bytes };
  } catch (error) {
    // An empty body is an empty form.
    if (size > 0 || !raw.readableEnded) throw error;
  } finally {
    raw.off('data', feed).off('end', finish).off('close', breakOff).pause();
    parser.destroy();
  }
}

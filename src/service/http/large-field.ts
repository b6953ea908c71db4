/** A field of a body that may be larger than the process should hold. It is read while it arrives. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import { Blocks } from './blocks.ts';

/** What a request may send if its credential was accepted before its body is read. */
export interface LargeBody {
  /** The most bytes of the whole body. */
  readonly bytes: number;
  /** The name of the field that may be large. */
  readonly field: string;
  /** Begins to read the field. @throws {Failure} if too many are being read */
  open(): LargeField;
}

/** The value of the field. It takes pieces while they arrive. */
export interface LargeField {
  /** A piece of a text. */
  addText(text: string): Promise<void>;
  /** Some entries of a list. */
  addEntries(entries: readonly unknown[]): Promise<void>;
  /** @returns the value of the parameter */
  end(): Promise<unknown>;
  /** Frees what it has taken. Can be called twice. */
  close(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the credential was accepted. */
    largeBody: LargeBody | undefined;
    /** Is closed at the end of the request, unless the handler of the route has taken it. */
    largeField: LargeField | undefined;
  }
}

/** @returns undefined for a body that is read as any other: it says that it is not larger than the route's limit */
export function largeBodyOf(request: FastifyRequest): LargeBody | undefined {
  const isSmall = Number(request.headers['content-length']) <= request.routeOptions.bodyLimit;
  return isSmall ? undefined : request.largeBody;
}

export function openField(request: FastifyRequest, large: LargeBody): LargeField {
  request.largeField = large.open();
  request.held?.add(() => void request.largeField?.close());
  return request.largeField;
}

/** The handler closes the field from now on. */
export function takeField(request: FastifyRequest): LargeField | undefined {
  const field = request.largeField;
  request.largeField = undefined;
  return field;
}

/** Takes the large field out of a text that arrives in pieces. */
export abstract class Lifter {
  /** Whether the field was there. */
  isLifted = false;
  /** In blocks, because to put megabytes together at the end takes too long for one turn. */
  readonly #rest = new Blocks();
  #restLength = 0;

  /** @param most how many characters there may be beside the field, and in one entry of it */
  constructor(
    protected readonly name: string,
    protected readonly field: LargeField,
    protected readonly most: number,
  ) {}

  abstract add(text: string): Promise<void>;

  /** Reads what has arrived at the end of the text. */
  protected abstract finish(): Promise<void>;

  /** @returns the bytes of the text with an empty large field */
  async end(): Promise<readonly Buffer[]> {
    await this.finish();
    return this.#rest.pieces;
  }

  /** Begins the field. */
  protected lift(): void {
    if (this.isLifted) throw severalValues(this.name);
    this.isLifted = true;
  }

  /** Keeps what is not in the field. @throws {Failure} 413 if it becomes too long */
  protected keep(text: string): void {
    this.#restLength += text.length;
    if (this.#restLength > this.most) throw restTooLong(this.name, this.most);
    this.#rest.add(Buffer.from(text));
  }
}

export const restTooLong = (field: string, most: number) =>
  new Failure('bodyTooLarge', `Expected a body with at most ${most / 1024} KiB beside ${field}.`);

/** @param most how many characters it may have */
export const entryTooLong = (field: string, most: number) =>
  new Failure('badRequest', `Expected entries of at most ${most / 1024} KiB in ${field}, got a longer one.`);

export const severalValues = (field: string) =>
  new Failure('badRequest', `Expected one value for ${field}, got several.`);

/** Decodes UTF-8 that arrives in pieces. @throws {TypeError} for other bytes */
export async function* textsOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of pieces) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

/** Whether an error says that a body is malformed, and not that it could not be stored. */
export const isMalformed = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  error instanceof URIError ||
  (error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

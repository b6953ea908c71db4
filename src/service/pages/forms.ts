/** Reads the forms of the pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TIMEOUTS } from '../bounds.ts';
import { Failure } from '../failures.ts';
import { closeGentlyAfter } from '../http/gentle-close.ts';
import { bodyParameters } from '../http/parameters.ts';
import { isFormToken } from '../sessions/cookie-value.ts';
import type { Html } from './html.ts';
import { hidden } from './layout.ts';

const TOKEN = 'form_token';
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** The hidden field that every form of a page needs. */
export const formToken = ({ browser }: FastifyRequest): Html[] => hidden([[TOKEN, browser.formToken]]);

/** A form that was sent. */
export interface SentForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Whether this browser was shown the form. If not, change nothing, and show it again. */
  readonly isOwn: boolean;
}

/** @throws {Failure} for what is not a form */
export async function readForm(request: FastifyRequest): Promise<SentForm> {
  if (!FORM.test(request.headers['content-type'] ?? ''))
    throw new Failure('bodyNotSupported', 'Expected a body of type application/x-www-form-urlencoded.');
  const fields = new Map<string, string>();
  for (const [field, values] of await bodyParameters(request)) {
    if (values.length > 1) throw new Failure('badRequest', `Expected the field ${field} once.`);
    fields.set(field, String(values[0]));
  }
  const isOwn = isFormToken(fields.get(TOKEN), request.browser.value);
  fields.delete(TOKEN);
  return { fields, isOwn };
}

/** A file that was chosen in a form, as it comes. */
export interface SentFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface FileFormLimits {
  /** Whoever takes the file counts as well, and can say something about it. */
  readonly fileBytes: number;
  /** Of each field but the file. */
  readonly fieldBytes: number;
}

const FIELDS = 10;

/**
 * Reads a form that can send a file. The hidden field of `formToken` has to stand before the file: nothing is read of the
 * file of a form that is not this browser's own. Call `leaveRest` before the response.
 *
 * @param takeFile reads the file. It is not called if no file was chosen
 * @throws {Failure} for what is not such a form, or was not sent whole
 */
export async function readFileForm(
  request: FastifyRequest,
  { fileBytes, fieldBytes }: FileFormLimits,
  takeFile: (file: SentFile) => Promise<void>,
): Promise<SentForm> {
  if (!request.isMultipart())
    throw new Failure('bodyNotSupported', 'Expected a body of type multipart/form-data.');
  const fields = new Map<string, string>();
  const isOwn = () => isFormToken(fields.get(TOKEN), request.browser.value);
  const limits = { fileSize: fileBytes + 1, fieldSize: fieldBytes, fields: FIELDS, parts: FIELDS, files: 1 };
  // Fields may hold what looks like JSON.
  let fault: unknown;
  const parts = request.parts({ limits, isPartAFile: (_field, _type, file) => file !== undefined });
  try {
    for await (const part of parts) {
      if (!isOwn() && fields.has(TOKEN)) break;
      if (part.type === 'field') {
        if (part.valueTruncated)
          throw new Failure('bodyTooLarge', `Expected at most ${fieldBytes / 1024} KiB of text.`);
        fields.set(part.fieldname, String(part.value));
      } else if (!isOwn()) break;
      // Browsers send a file without a name if none was chosen.
      else if (part.filename) {
        await takeFile({ name: part.filename, bytes: bytesOf(part.file) }).catch((error) => {
          fault = error;
          throw error;
        });
      } else part.file.resume();
    }
  } catch (error) {
    throw error === fault || error instanceof Failure ? error : notWhole();
  }
  const result = isOwn();
  fields.delete(TOKEN);
  return { fields, isOwn: result };
}

async function* bytesOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* file;
  } catch {
    throw notWhole();
  }
}

const notWhole = () => new Failure('badRequest', 'The form was not sent whole. Send it again.');

/** Lets a browser that still sends its file read the response, and then closes the connection. */
export function leaveRest(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  reply.header('Connection', 'close');
  closeGentlyAfter(request.raw, TIMEOUTS.linger);
}

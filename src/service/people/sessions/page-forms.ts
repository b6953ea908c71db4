/** Reads the forms of the pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TIMEOUTS } from '../../core/bounds.ts';
import { Failure } from '../../core/failures.ts';
import { closeGentlyAfter } from '../../http/gentle-close.ts';
import { isMultipart, type Part, readParts } from '../../http/multipart.ts';
import { bodyParameters } from '../../http/parameters.ts';
import type { Html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import { isFormToken } from './cookie-value.ts';

const TOKEN = 'form_token';
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** The hidden field that every form of a page needs. */
export const formToken = ({ browser }: FastifyRequest): Html[] => hidden([[TOKEN, browser.formToken]]);

/** Whether this browser was shown a form with the token, in the account that the person is in. */
const isOwnToken = ({ browser }: FastifyRequest, token: string | undefined): boolean =>
  isFormToken(token, browser.value, browser.signedIn?.account?.id);

/** A form that was sent. */
export interface SentForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Whether this browser was shown the form. If not, change nothing, and show it again. */
  readonly isOwn: boolean;
}

/** @throws {Failure} for a body that is not a form */
export async function readForm(request: FastifyRequest): Promise<SentForm> {
  if (!FORM.test(request.headers['content-type'] ?? ''))
    throw new Failure('bodyNotSupported', 'Expected a body of type application/x-www-form-urlencoded.');
  const fields = new Map<string, string>();
  for (const [field, values] of await bodyParameters(request)) {
    if (values.length > 1) throw new Failure('badRequest', `Expected the field ${field} once.`);
    fields.set(field, String(values[0]));
  }
  const isOwn = isOwnToken(request, fields.get(TOKEN));
  fields.delete(TOKEN);
  return { fields, isOwn };
}

/** A file or a long text of a form, while it arrives. */
export interface SentFile {
  readonly field: string;
  /** Absent for a text. */
  readonly name: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The names of its fields. */
export interface FormOfFile {
  /** The field of the file. */
  readonly file: string;
  /** The field of a long text. It is streamed like the file, so that texts cannot fill the memory. */
  readonly text: string;
}

/** Only the token's field is kept in memory. A form with too many parts is refused. */
const TOKEN_BYTES = 1024;
const MOST_PARTS = 4;

/**
 * Reads a form that can send a file. The hidden field of `formToken` must come before the file, because the file of a
 * forged form is not read. Call `leaveRest` before the response.
 *
 * @param takeFile reads the file or the text, and limits its size. It is not called if no file was chosen @throws {Failure} for another
 * body, for unknown fields, and for an incomplete body
 * @returns whether this browser was shown the form
 */
export async function readFileForm(
  request: FastifyRequest,
  { file, text }: FormOfFile,
  takeFile: (file: SentFile) => Promise<void>,
): Promise<boolean> {
  if (!isMultipart(request))
    throw new Failure('bodyNotSupported', 'Expected a body of type multipart/form-data.');
  let [isOwn, isTaken] = [false, false];
  let fault: unknown;
  try {
    for await (const part of readParts(request, { parts: MOST_PARTS })) {
      if (part.name === TOKEN) {
        isOwn = isOwnToken(request, await readToken(part));
        if (!isOwn) break;
      } else if (!isOwn) break;
      else if (part.name !== file && part.name !== text) throw unknownField();
      // Browsers send a file without a name if none was chosen.
      else if (part.name === file && part.fileName === undefined) await readToken(part);
      else if (isTaken) throw unknownField();
      else {
        isTaken = true;
        const name = part.name === text ? undefined : part.fileName;
        await takeFile({ field: part.name, name, bytes: bytesOf(part.bytes) }).catch((error) => {
          fault = error;
          throw error;
        });
      }
    }
  } catch (error) {
    throw error === fault || error instanceof Failure ? error : notWhole();
  }
  return isOwn;
}

/** @throws {Failure} if it is too long for a token */
async function readToken({ bytes }: Part): Promise<string> {
  let token = '';
  for await (const chunk of bytes) {
    token += chunk;
    if (token.length > TOKEN_BYTES) throw unknownField();
  }
  return token;
}

const unknownField = () => new Failure('badRequest', 'The form has unknown fields. Open the page again.');

async function* bytesOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* file;
  } catch {
    throw notWhole();
  }
}

const notWhole = () => new Failure('badRequest', 'The form did not arrive completely. Send it again.');

/** Lets a browser that still sends its file read the response, and then closes the connection. */
export function leaveRest(reply: FastifyReply): void {
  const { request } = reply;
  if (request.raw.complete) return;
  reply.header('Connection', 'close');
  closeGentlyAfter(request.raw, TIMEOUTS.linger);
}

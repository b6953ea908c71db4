/** Receives an uploaded or pasted list, and stores it as a draft. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../core/failures.ts';
import { figure } from '../../core/format.ts';
import type { Db } from '../../database/schema.ts';
import { NAME_OF_PASTED, nameOfFile } from '../../lists/list-name.ts';
import { draftsOf, insertDrafts, type List, MOST_DRAFT_BYTES, MOST_DRAFTS } from '../../lists/list-store.ts';
import { ListFault } from '../../lists/reading/list-fault.ts';
import { FILE_TOO_LARGE, MAX_FILE_BYTES, MAX_PASTED_BYTES } from '../../lists/reading/list-limits.ts';
import type { Reader, Reading } from '../../lists/reading/list-reader.ts';
import { readFileForm } from '../../people/sessions/page-forms.ts';
import type { Visit } from '../visit.ts';

export type Uploaded =
  | { readonly kind: 'stored'; readonly id: string }
  /** The form was not sent by a page of this service. */
  | { readonly kind: 'foreign' }
  /** `pasted` is the text of the form, if it was no file. */
  | { readonly kind: 'refused'; readonly fault: string; readonly pasted: string | undefined }
  /** Too many lists are being read already. */
  | { readonly kind: 'busy'; readonly pasted: string | undefined };

/** A cut connection leaves no rows behind, because they are stored in one transaction after all have been read. */
export async function takeUpload(
  { db, reader, keptSeconds }: { readonly db: Db; readonly reader: Reader; readonly keptSeconds: number },
  { request, accountId, person }: Pick<Visit, 'request' | 'accountId' | 'person'>,
): Promise<Uploaded> {
  let reading: Reading | undefined;
  let fileName: string | undefined;
  let pasted: Typed | undefined;
  try {
    const isOwn = await readFileForm(request, { file: 'file', text: 'pasted' }, async (file) => {
      refuseLarge(request);
      if (file.name === undefined) pasted = new Typed();
      // A pasted text is still read, so that the page can show it again.
      // Said before a file has arrived. Others may take its room meanwhile.
      const full = whyFull(await draftsOf(db, accountId));
      if (full && file.name !== undefined) throw full;
      reading = reader.open(accountId);
      fileName = file.name;
      for await (const bytes of file.bytes) {
        pasted?.add(bytes);
        await reading?.add(bytes);
        if (!reading && (!pasted || pasted.isTooLong)) break;
      }
      if (full) throw full;
      if (!reading) throw new Busy('too many lists arrive at the moment');
    });
    if (!isOwn) return { kind: 'foreign' };
    if (!reading || pasted?.isBlank) throw new ListFault(NOTHING);
    const facts = await reading.read(fileName);
    const name = fileName === undefined ? NAME_OF_PASTED : nameOfFile(fileName);
    const drafts = { accountId, madeBy: person.id, name, facts, keptSeconds, refuseFull };
    const id = await insertDrafts(db, drafts, reading.portions(), reading.bytes());
    return { kind: 'stored', id };
  } catch (error) {
    if (error instanceof Busy) return { kind: 'busy', pasted: pasted?.text };
    if (!(error instanceof ListFault)) throw error;
    const fault = pasted?.isTooLong ? `${error.message} ${PASTE_AGAIN}` : error.message;
    return { kind: 'refused', fault, pasted: pasted?.text };
  } finally {
    await reading?.close();
  }
}

/** The pasted text, to be shown again. */
class Typed {
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** Whether it is not shown again. */
  get isTooLong(): boolean {
    return this.#size > MOST_SHOWN_BYTES;
  }

  get isBlank(): boolean {
    return !this.isTooLong && this.text.trim() === '';
  }

  add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > MAX_PASTED_BYTES)
      throw new Failure('bodyTooLarge', `Expected at most ${MAX_PASTED_BYTES / 1024} KiB of text.`);
    if (this.isTooLong) this.#chunks = [];
    // A copy, because the buffers of requests share memory.
    else this.#chunks.push(Uint8Array.from(bytes));
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** Any number of requests may send such a text, and its marks take six times as much in the page. */
const MOST_SHOWN_BYTES = 64 * 1024;

const PASTE_AGAIN = 'The text is too long to be shown again. Paste it once more.';

const NOTHING = 'Choose a file, or paste addresses.';

function whyFull(drafts: readonly List[]): ListFault | undefined {
  const full = sayFull(drafts);
  return full === undefined ? undefined : new ListFault(`${full} This list was not stored. ${MAKE_ROOM}`);
}

function refuseFull(drafts: readonly List[]): void {
  const full = whyFull(drafts);
  if (full) throw full;
}

export const MAKE_ROOM = 'Start or discard one of the lists below first.';

/** Lists that wait take room, and cost nothing. @returns why another one may not wait, too */
export function sayFull(drafts: readonly List[]): string | undefined {
  const [count, bytes] = [drafts.length, drafts.reduce((sum, draft) => sum + draft.bytes, 0)];
  if (count < MOST_DRAFTS && bytes < MOST_DRAFT_BYTES) return undefined;
  const waiting =
    count < MOST_DRAFTS ? `${figure(Math.floor(bytes / 2 ** 20))} MiB of lists` : `${count} lists`;
  return `${waiting} are waiting to be started, which is the maximum.`;
}

class Busy extends Error {}

/** Refuses a large file before it is sent. The rest of the form is a few hundred bytes. */
function refuseLarge({ headers }: FastifyRequest): void {
  if (Number(headers['content-length']) > MAX_FILE_BYTES + MAX_PASTED_BYTES)
    throw new ListFault(FILE_TOO_LARGE);
}

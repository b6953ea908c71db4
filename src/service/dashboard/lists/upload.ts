/** Takes a list that is uploaded or pasted, and stores it as a draft. */
import type { FastifyRequest } from 'fastify';
import type { Db } from '../../database/schema.ts';
import { readFileForm } from '../../pages/forms.ts';
import { NAME_OF_PASTED, nameOfFile } from './list-name.ts';
import { ListFault } from './reading/fault.ts';
import { FILE_TOO_LARGE, MAX_FILE_BYTES, MAX_PASTED_BYTES } from './reading/limits.ts';
import type { Reader, Reading } from './reading/reader.ts';
import { insertDraft } from './store.ts';

export type Uploaded =
  | { readonly kind: 'stored'; readonly id: string }
  /** The form was not this browser's own. */
  | { readonly kind: 'foreign' }
  /** `pasted` is what was typed. */
  | { readonly kind: 'refused'; readonly fault: string; readonly pasted: string }
  /** As many lists as there may be are read at the moment. */
  | { readonly kind: 'busy'; readonly pasted: string };

/** A cut connection leaves nothing behind: rows are stored when all have been read, and in one transaction. */
export async function takeUpload(
  { db, reader }: { readonly db: Db; readonly reader: Reader },
  request: FastifyRequest,
  accountId: string,
): Promise<Uploaded> {
  let reading: Reading | undefined;
  let pasted = '';
  try {
    let fileName: string | undefined;
    const limits = { fileBytes: MAX_FILE_BYTES, fieldBytes: MAX_PASTED_BYTES };
    const { fields, isOwn } = await readFileForm(request, limits, async (file) => {
      refuseLarge(request);
      reading = open(reader, accountId);
      fileName = file.name;
      for await (const bytes of file.bytes) reading.add(bytes);
    });
    if (!isOwn) return { kind: 'foreign' };
    pasted = fields.get('pasted') ?? '';
    if (!reading) {
      if (pasted.trim() === '') throw new ListFault(NOTHING);
      reading = open(reader, accountId);
      reading.add(Buffer.from(pasted));
    }
    const facts = await reading.read(fileName);
    const name = fileName === undefined ? NAME_OF_PASTED : nameOfFile(fileName);
    const id = await insertDraft(db, { accountId, name, facts }, reading.portions());
    return { kind: 'stored', id };
  } catch (error) {
    if (error instanceof Busy) return { kind: 'busy', pasted };
    if (error instanceof ListFault) return { kind: 'refused', fault: error.message, pasted };
    throw error;
  } finally {
    await reading?.close();
  }
}

const NOTHING = 'Expected a file or pasted addresses, got nothing. Choose a file, or paste addresses.';

class Busy extends Error {}

function open(reader: Reader, accountId: string): Reading {
  const reading = reader.open(accountId);
  if (!reading) throw new Busy('too many lists are read at the moment');
  return reading;
}

/** Before the whole file was sent for nothing. What is around it in the form is a few hundred bytes. */
function refuseLarge({ headers }: FastifyRequest): void {
  if (Number(headers['content-length']) > MAX_FILE_BYTES + MAX_PASTED_BYTES)
    throw new ListFault(FILE_TOO_LARGE);
}

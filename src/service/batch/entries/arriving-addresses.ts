/** Reads `emails` of a large body while it arrives, so that the body is never in memory as a whole. */

import { LongText } from '../../../shared/long-text.ts';
import { inSteps } from '../../../shared/steps.ts';
import { MAX_BATCH_BODY_BYTES } from '../../core/bounds.ts';
import { Failure } from '../../core/failures.ts';
import { entryTooLong, type LargeBody, type LargeField } from '../../http/large-field.ts';
import type { Key } from '../../keys/key.ts';
import { AddressReader, MOST_ADDRESSES, splitLong, textsOf } from '../parse-addresses.ts';
import { largeBatches } from './large-batches.ts';

/** How much of a larger body belongs to each address that the batch may have. An address has at most 320 bytes. */
const BYTES_OF_ENTRY = 330;

const RETRY_SECONDS = 10;

/** @returns undefined unless the account may send larger batches than others */
export function largeBodyOf({ account }: Key): LargeBody | undefined {
  if (!account?.batchSize || account.batchSize <= MOST_ADDRESSES) return undefined;
  const { id, batchSize } = account;
  return {
    bytes: BYTES_OF_ENTRY * batchSize,
    field: 'emails',
    open: () => {
      const release = largeBatches.take(id);
      if (!release) throw tooManyAtOnce();
      return new ArrivingAddresses(batchSize, release);
    },
  };
}

/** The 429 of one more large body. */
export const tooManyAtOnce = () =>
  new Failure(
    'tooManyRequests',
    'Expected at most 2 large batches of an account at once, and 4 of all accounts, got one more. Send it again later.',
    { 'Retry-After': String(RETRY_SECONDS) },
  );

class ArrivingAddresses implements LargeField {
  readonly #reader: AddressReader;
  /** The beginning of an entry whose end has not arrived. */
  #begun: string[] = [];
  #begunLength = 0;
  /** How many entries of a list have arrived. */
  #listed: number | undefined;

  constructor(
    most: number,
    private release: (() => void) | undefined,
  ) {
    this.#reader = new AddressReader(most);
  }

  async addText(text: string): Promise<void> {
    const end = Math.max(...[',', '\n', '\r'].map((separator) => text.lastIndexOf(separator)));
    if (end >= 0) {
      const whole = new LongText([...this.#begun, text.slice(0, end)]);
      this.#begun = [];
      this.#begunLength = 0;
      await this.#read(splitLong(whole));
    }
    this.#begun.push(text.slice(end + 1));
    this.#begunLength += text.length - end - 1;
    if (this.#begunLength > MAX_BATCH_BODY_BYTES) throw entryTooLong('emails', MAX_BATCH_BODY_BYTES);
  }

  async addEntries(entries: readonly unknown[]): Promise<void> {
    const first = this.#listed ?? 0;
    this.#listed = first + entries.length;
    await this.#read(textsOf(entries, first));
  }

  async end(): Promise<AddressReader> {
    if (this.#listed === undefined) await this.#read(splitLong(new LongText(this.#begun)));
    this.#begun = [];
    return this.#reader.end(this.#listed !== undefined);
  }

  async close(): Promise<void> {
    this.release?.();
    this.release = undefined;
    await this.#reader.entries.close();
  }

  async #read(texts: Parameters<AddressReader['read']>[0]): Promise<void> {
    await inSteps(this.#reader.read(texts));
    await this.#reader.entries.save();
  }
}

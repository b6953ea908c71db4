/** What all files have in common that are made while they are sent. */

/** What is held of one download. A query takes some 10 ms. */
export const PAGE = { rows: 1_000, bytes: 1024 * 1024 };
/** The bytes that go on at once, so that a client that stops reading stops the rest. */
const SLICE = 64 * 1024;

/** The results were deleted while they were read. Its name is for the log. */
export class ResultsDeletedError extends Error {
  override readonly name = 'ResultsDeletedError';

  constructor() {
    super('Expected more results of the batch, got none. They were deleted.');
  }
}

export function* slicesOf(page: Buffer): Generator<Buffer> {
  for (let from = 0; from < page.length; from += SLICE) yield page.subarray(from, from + SLICE);
}

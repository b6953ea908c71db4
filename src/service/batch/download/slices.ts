/** Shared by all files that are created while they are sent. */

/** The memory of one download. A query takes about 10 ms. */
export const PAGE = { rows: 1_000, bytes: 1024 * 1024 };
/** The bytes passed on at once, so that a client that stops reading also stops the rest. */
const SLICE = 64 * 1024;

/** The results were deleted while they were read. The name is for the log. */
export class ResultsDeletedError extends Error {
  override readonly name = 'ResultsDeletedError';

  constructor() {
    super('Expected more results of the batch, got none. They were deleted.');
  }
}

export function* slicesOf(page: Buffer): Generator<Buffer> {
  for (let from = 0; from < page.length; from += SLICE) yield page.subarray(from, from + SLICE);
}

/** Where the pages of batches are. */
export const BATCHES = '/dashboard/batches';

/** Of the page of a batch. */
export const pathOf = (id: string): string => `${BATCHES}/${id}`;

export const isBatchId = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{24}$/.test(text);

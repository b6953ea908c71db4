/** The paths of the pages of batches. */
export const BATCHES = '/dashboard/batches';

/** The path of a batch's page. */
export const pathOf = (id: string): string => `${BATCHES}/${id}`;

export const isBatchId = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{24}$/.test(text);

/** The paths of the pages of batches. */
export const BATCHES = '/dashboard/batches';

/** The path of a batch's page. */
export const pathOf = (id: string): string => `${BATCHES}/${id}`;

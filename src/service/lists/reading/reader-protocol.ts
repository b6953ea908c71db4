/** The messages between the service and the process that reads a list. */
import type { ListFacts } from './read-list.ts';

/** The process gets the file already open, because the file has no name that others could open. */
export const FILE_DESCRIPTOR = 4;

export type ToProcess =
  | { readonly kind: 'read'; readonly fileName: string | undefined }
  | { readonly kind: 'next' };

/** Some rows of a list, in its order. */
export interface Portion {
  /** The number of the first one, from 0. */
  readonly from: number;
  /** A JSON array with an array for each row. */
  readonly json: string;
  readonly isLast: boolean;
}

export type FromProcess =
  | { readonly kind: 'facts'; readonly facts: ListFacts }
  | ({ readonly kind: 'rows' } & Portion)
  | { readonly kind: 'fault'; readonly message: string };

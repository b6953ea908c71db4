/** What the service and the thread that reads a list say to each other. */
import type { ListFacts } from './read-list.ts';

export type ToThread =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
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

export type FromThread =
  | { readonly kind: 'facts'; readonly facts: ListFacts }
  | ({ readonly kind: 'rows' } & Portion)
  | { readonly kind: 'fault'; readonly message: string };

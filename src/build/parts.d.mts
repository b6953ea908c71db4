/** Types of parts.mjs, for tests. */
export interface Part {
  readonly name: string;
  readonly atStart?: 'before' | 'beside' | 'after';
  /** Files and folders. */
  readonly sources: readonly string[];
  /** Files and folders in dist/. */
  readonly outputs: readonly string[];
}

export const PARTS: readonly Part[];

/** Errors that a test expects. */
import { expect } from 'vitest';

/** The message of the error of this kind that the function throws. */
export function messageOf(run: () => unknown, kind: abstract new (...parameters: never[]) => Error): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(kind);
    return (error as Error).message;
  }
  throw new Error(`Expected a ${kind.name}, got none.`);
}

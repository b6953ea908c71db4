/** Errors that a test expects. */
import { expect } from 'vitest';

/** What the promise rejects with, or `undefined` if it does not. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

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

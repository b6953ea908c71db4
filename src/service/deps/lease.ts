/** The right of a process to work. It has it while it holds a lock of the database and beats (`jobs/process-lease.ts`). */
export interface Lease {
  /**
   * Whether the others take this process for alive, as far as it knows. Otherwise it starts nothing, because they take
   * its work over.
   */
  isHeld(): boolean;
  /** Waits until it is held, for a moment. @throws {DatabaseAwayError} if it is not held by then */
  expectHeld(): Promise<void>;
  /** Runs work that may have ended another process. One at a time, so that it is known which one ends this process. */
  runSuspect<Result>(run: () => Promise<Result>): Promise<Result>;
}

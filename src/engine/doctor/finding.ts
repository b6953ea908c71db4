/** The result of one check of `doctor`. */

export type FindingStatus =
  | 'ok'
  /** Some mail servers will refuse to answer. */
  | 'warning'
  /** Verification does not work. */
  | 'problem'
  /** The check could not find out. */
  | 'unknown';

export interface Finding {
  /** What was checked, such as `port 25`. */
  readonly check: string;
  readonly status: FindingStatus;
  /** What was found. */
  readonly text: string;
  /** What to do about it. Absent if all is well. */
  readonly advice?: string;
}

export const finding = (check: string, status: FindingStatus, text: string, advice?: string): Finding => ({
  check,
  status,
  text,
  ...(advice === undefined ? {} : { advice }),
});

/** The DNS did not tell. @param what in words */
export const untold = (check: string, what: string): Finding =>
  finding(check, 'unknown', `The name servers did not say ${what}.`, 'Run doctor again.');

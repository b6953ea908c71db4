/** What `doctor` finds out about one thing that verification depends on. */

export type FindingStatus =
  | 'ok'
  /** Some mail servers will refuse to answer. */
  | 'warning'
  /** Verification does not work. */
  | 'problem'
  /** It could not be found out. */
  | 'unknown';

export interface Finding {
  /** What was looked at, such as `port 25`. */
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

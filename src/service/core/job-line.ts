/** One line of the job overview: work that is waiting, running or failed. Each room reports its own (`overview/`). */

export interface JobLine {
  readonly state: 'waiting' | 'running' | 'failed';
  /** What the line counts, such as `addresses of live batches`. */
  readonly what: string;
  readonly count: number;
  /** When the oldest of them entered this state, if known. */
  readonly since: Date | null;
  /** One or two sentences for the operator. */
  readonly inWords: string;
}

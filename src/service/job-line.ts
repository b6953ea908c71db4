/** One line of what the service has to do, does, or has failed to do. Each room tells its own (`overview/`). */

export interface JobLine {
  readonly state: 'waiting' | 'running' | 'failed';
  /** What is counted, such as `addresses of live batches`. */
  readonly what: string;
  readonly count: number;
  /** Since when the oldest of them is in this state, as far as that is known. */
  readonly since: Date | null;
  /** One or two sentences for the operator. */
  readonly inWords: string;
}

/** Records whether the jobs of a process keep running. Readiness uses their silence, and metrics use their runs. */

/** The jobs that are repeated. */
export type JobName =
  | 'heartbeat'
  | 'housekeeping'
  | 'samples'
  | 'batches'
  | 'callbacks'
  | 'notices'
  | 'payments';

/** Milliseconds between two runs of a job, where they differ from its own. */
export type Paces = Readonly<Partial<Record<JobName, number>>>;

/** The signs of life of a job. */
export interface JobMonitor {
  /** The job is still alive, in the middle of a long run. */
  goesOn(): void;
  /** A run has ended. */
  ended(isGood: boolean): void;
}

export interface JobReport {
  readonly job: JobName;
  readonly succeeded: number;
  readonly failed: number;
  /** Milliseconds of the system's clock. Undefined before the first success. */
  readonly lastSuccessMs: number | undefined;
  /** The time since the job's last sign of life. */
  readonly silentMs: number;
}

export type JobMonitors = ReturnType<typeof createJobMonitors>;

interface Entry {
  succeeded: number;
  failed: number;
  lastSuccessMs: number | undefined;
  heardAt: number;
}

/** @param now milliseconds of a clock that is never set back */
export function createJobMonitors(now = () => performance.now()) {
  const entries = new Map<JobName, Entry>();
  return {
    /** Starts to expect signs of life from the job. */
    begin(job: JobName): JobMonitor {
      const entry: Entry = { succeeded: 0, failed: 0, lastSuccessMs: undefined, heardAt: now() };
      entries.set(job, entry);
      const goesOn = () => {
        entry.heardAt = now();
      };
      return {
        goesOn,
        ended(isGood) {
          goesOn();
          if (!isGood) entry.failed += 1;
          else {
            entry.succeeded += 1;
            entry.lastSuccessMs = Date.now();
          }
        },
      };
    },
    report: (): JobReport[] =>
      [...entries].map(([job, { heardAt, ...entry }]) => ({ job, ...entry, silentMs: now() - heardAt })),
  };
}

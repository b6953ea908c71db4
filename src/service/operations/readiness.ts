/**
 * Why a process is not ready. Load balancers remove processes that are not ready, so the reasons concern only this
 * process. A stuck worker must not remove the web processes.
 */
import type { Role } from '../config/sections/role-section.ts';
import type { Outage } from '../database/unavailable.ts';
import type { JobReport } from '../jobs/job-monitor.ts';

/** A job runs every few seconds, and each of its statements ends within ten. */
const LONGEST_SILENCE_MS = 60_000;
/** A mail server has half a minute for an address, and an address that is held back is retried within seconds. */
const LONGEST_STALL_MS = 5 * 60_000;

export interface ReadinessOptions {
  readonly role: Role;
  /** Whether the database is reached and migrated. */
  readonly isDatabaseReady: () => boolean;
  /** What keeps it from being ready. */
  readonly databaseTrouble: () => Outage;
  readonly jobs: () => readonly JobReport[];
  /** How long this process has had addresses of batches to verify without progress. */
  readonly stalledMs: () => number;
}

/** @returns one sentence, or undefined if the process is ready */
export function whyNotReady(options: ReadinessOptions): string | undefined {
  const { role, isDatabaseReady, databaseTrouble, jobs, stalledMs } = options;
  if (!isDatabaseReady()) return whyDatabaseIsNotReady(databaseTrouble());
  if (role === 'web') return undefined;
  const hanging = jobs().find(({ silentMs }) => silentMs > LONGEST_SILENCE_MS);
  if (hanging)
    return `The job "${hanging.job}" hangs. It has been silent for ${seconds(hanging.silentMs)} s.`;
  const stalled = stalledMs();
  if (stalled <= LONGEST_STALL_MS) return undefined;
  return `Addresses of batches are ready, but this process has made no progress for ${seconds(stalled)} s.`;
}

const AWAY = 'The database cannot be reached, is read-only, or is not migrated.';
const OUTAGES: Readonly<Record<Outage, string>> = {
  away: AWAY,
  limit: AWAY,
  full: 'The disk of the database is full. Make space.',
  migration:
    'The migration of the database waits for a lock or for another process. The log says for which. The version before still serves.',
};

export const whyDatabaseIsNotReady = (outage: Outage): string => OUTAGES[outage];

const seconds = (ms: number) => Math.floor(ms / 1000);

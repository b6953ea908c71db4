/**
 * Why a process cannot do its work. A load balancer takes a process out when it is not ready, so the reasons are those
 * that hold for this process and not for another one: a stuck worker must not take the web processes out.
 */
import type { Role } from '../config/role.ts';
import type { JobReport } from '../jobs/pulse.ts';

/** A job runs every few seconds, and each of its statements ends within ten. */
const LONGEST_SILENCE_MS = 60_000;
/** A mail server has half a minute for an address, and one that is held back is tried again within seconds. */
const LONGEST_STANDSTILL_MS = 5 * 60_000;

export interface ReadinessOptions {
  readonly role: Role;
  /** Whether the database is reached and migrated. */
  readonly isDatabaseReady: () => boolean;
  readonly jobs: () => readonly JobReport[];
  /** How long there have been addresses of batches that this process could verify, and it has verified none of them. */
  readonly standstillMs: () => number;
}

/** @returns one sentence, or undefined for a process that can do its work */
export function whyNotReady({
  role,
  isDatabaseReady,
  jobs,
  standstillMs,
}: ReadinessOptions): string | undefined {
  if (!isDatabaseReady()) return 'The database cannot be reached, or is not migrated.';
  if (role === 'web') return undefined;
  const hanging = jobs().find(({ silentMs }) => silentMs > LONGEST_SILENCE_MS);
  if (hanging)
    return `The job "${hanging.job}" hangs. Nothing was heard of it for ${seconds(hanging.silentMs)} s.`;
  const standstill = standstillMs();
  if (standstill <= LONGEST_STANDSTILL_MS) return undefined;
  return `Addresses of batches are ready, and this process has got on with none of them for ${seconds(standstill)} s.`;
}

const seconds = (ms: number) => Math.floor(ms / 1000);

/**
 * The rules that hold conversations back, for one organisation. Pure: the caller passes the time.
 * The service has the same rules in SQL (`database/functions/pace_round.sql`), and both pass the same tests.
 */
import type { PerHost } from '../options.ts';
import type { HeldBack } from './pacing.ts';

export type PaceLimits = Pick<PerHost, 'connections' | 'perMinute'>;

/**
 * Counting by whole seconds bounds the memory for any `perMinute`. A conversation may have begun late in its second, so
 * it counts for one second more than a minute.
 */
const SECONDS_COUNTED = 61;

/** The first pause after "slow down". Each further pause is twice as long. */
const FIRST_PAUSE_MS = 2_000;
/** Long enough for a rate limit per minute to recover, and short enough that a batch notices the end of a block. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** How long a series is remembered after its last pause, without new conversations. */
const REMEMBERED_MS = LONGEST_PAUSE_MS;

/** One of so many conversations per minute is reserved for requests of waiting callers. */
const RESERVED_OF = 10;

/** The limits for the background. They keep a batch from using up the minute of waiting callers. */
export function withoutReserve<Limits extends PaceLimits>(limits: Limits): Limits {
  return { ...limits, perMinute: limits.perMinute - Math.floor(limits.perMinute / RESERVED_OF) };
}

/** What is known about an organisation. Times are milliseconds of the caller's clock. */
export interface Pace {
  /** Conversations in progress. */
  open: number;
  /** The number of conversations that began in each second of the last minute, the oldest first. */
  begun: { readonly second: number; count: number }[];
  /** The number of "slow down" so far. It separates conversations before a pause from those after it. */
  slowDowns: number;
  /** Pauses in a row. The series ends with a good conversation that began after the last pause. */
  pauses: number;
  pausedUntil: number;
}

/** Something that holds a conversation back. */
export interface Hindrance {
  readonly heldBack: HeldBack;
  /** When it ends, or 0 if it ends with another conversation. */
  readonly until: number;
}

export function createPace(): Pace {
  return { open: 0, begun: [], slowDowns: 0, pauses: 0, pausedUntil: 0 };
}

/** Begins a conversation, unless a rule holds it back. */
export function tryToBegin(pace: Pace, limits: PaceLimits, now: number): Hindrance | undefined {
  forgetOld(pace, now);
  const minuteFreeAt = whenMinuteHasRoom(pace, limits.perMinute);
  const { pausedUntil } = pace;
  if (pausedUntil > now && pausedUntil >= minuteFreeAt) return { heldBack: 'paused', until: pausedUntil };
  if (minuteFreeAt > 0) return { heldBack: 'per minute', until: minuteFreeAt };
  // After a pause, one conversation at a time tests whether the server is ready.
  if (pace.pauses > 0 && pace.open >= 1) return { heldBack: 'paused', until: 0 };
  if (pace.open >= limits.connections) return { heldBack: 'connections', until: 0 };
  pace.open += 1;
  const second = Math.floor(now / 1000);
  const last = pace.begun.at(-1);
  if (last?.second === second) last.count += 1;
  else pace.begun.push({ second, count: 1 });
  return undefined;
}

/** @param begunAfter `slowDowns` at the beginning of the conversation */
export function end(pace: Pace, begunAfter: number, slowDown: boolean, now: number): void {
  forgetOld(pace, now);
  pace.open -= 1;
  // A conversation that began before the last slow-down changes nothing, however it ends.
  if (begunAfter !== pace.slowDowns) return;
  if (slowDown) {
    pace.slowDowns += 1;
    pace.pausedUntil = now + Math.min(FIRST_PAUSE_MS * 2 ** pace.pauses, LONGEST_PAUSE_MS);
    pace.pauses += 1;
  } else {
    pace.pauses = 0;
  }
}

/** Whether forgetting everything about the organisation changes nothing. */
export function isQuiet(pace: Pace, now: number): boolean {
  forgetOld(pace, now);
  return pace.open === 0 && pace.begun.length === 0 && pace.pauses === 0;
}

function forgetOld(pace: Pace, now: number): void {
  const oldest = Math.floor(now / 1000) - SECONDS_COUNTED + 1;
  while (pace.begun[0] && pace.begun[0].second < oldest) pace.begun.shift();
  if (pace.pausedUntil + REMEMBERED_MS < now) pace.pauses = 0;
}

/** 0 if there is room now. */
function whenMinuteHasRoom({ begun }: Pace, perMinute: number): number {
  let left = begun.reduce((sum, { count }) => sum + count, 0);
  let freeAt = 0;
  for (const { second, count } of begun) {
    if (left < perMinute) break;
    left -= count;
    freeAt = (second + SECONDS_COUNTED) * 1000;
  }
  return freeAt;
}

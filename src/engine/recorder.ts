/** Collects the evidence of one verification. */
import type { EvidenceStep } from './verifier.ts';

export interface Recorder {
  /** Adds a step. Its time is now, or when it began if `sinceMs` is given (milliseconds of `now()`). */
  note(step: Omit<EvidenceStep, 'atMs' | 'tookMs'>, sinceMs?: number): void;
  /** Milliseconds since the verification began. */
  now(): number;
  readonly steps: readonly EvidenceStep[];
}

/** A hostile server must not fill the memory: what comes after so many steps is not noted. */
const MOST_STEPS = 200;

/** @param listen gets every step at once, for a trace */
export function createRecorder(listen?: (step: EvidenceStep) => void): Recorder {
  const start = performance.now();
  const steps: EvidenceStep[] = [];
  const now = () => Math.round(performance.now() - start);
  return {
    steps,
    now,
    note(step, sinceMs) {
      const at = now();
      const noted: EvidenceStep =
        sinceMs === undefined ? { atMs: at, ...step } : { atMs: sinceMs, tookMs: at - sinceMs, ...step };
      if (steps.length < MOST_STEPS) steps.push(noted);
      listen?.(noted);
    },
  };
}

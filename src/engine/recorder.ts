/** Collects the evidence of one verification. */
import type { EvidenceStep } from './verifier.ts';

export type Recorder = ReturnType<typeof createRecorder>;

/** Later steps are not recorded, so that a hostile server cannot fill the memory. */
const MOST_STEPS = 200;

/** @param listen called with each step at once, for a trace */
export function createRecorder(listen?: (step: EvidenceStep) => void) {
  const start = performance.now();
  const steps: EvidenceStep[] = [];
  const now = () => Math.round(performance.now() - start);
  return {
    steps: steps as readonly EvidenceStep[],
    /** Milliseconds since the verification began. */
    now,
    /** Adds a step. It begins now, or at `sinceMs` (milliseconds of `now()`). */
    note(step: Omit<EvidenceStep, 'atMs' | 'tookMs'>, sinceMs?: number): void {
      const at = now();
      const noted: EvidenceStep =
        sinceMs === undefined ? { atMs: at, ...step } : { atMs: sinceMs, tookMs: at - sinceMs, ...step };
      if (steps.length < MOST_STEPS) steps.push(noted);
      listen?.(noted);
    },
  };
}

/** Finds the result of a verification that was asked for a short while ago. It sends no request, so it costs nothing. */
import type { Verified } from '../../../engine/verifier.ts';
import type { FailureCode } from '../../core/failures.ts';
import type { DashboardDeps, DashboardScope } from '../visit.ts';
import { questionOf } from './verify-for-owner.ts';
import type { Asked } from './verify-link.ts';

/** `gone`: it is neither running nor kept. */
export type Found = (Verified & { readonly kind: 'result' }) | { readonly kind: 'running' | 'gone' };

/** Failures that can occur although the form is correct. */
export const SAID_ON_THE_FORM: readonly FailureCode[] = [
  ...(['tooManyRequests', 'creditsMissing', 'liveBusy', 'liveUnavailable', 'portClosed'] as const),
];

/** A sample result is computed again. The address that never has one keeps running. */
export async function findResult(
  { verifySample }: Pick<DashboardScope, 'verifySample'>,
  { live }: Pick<DashboardDeps, 'live'>,
  asked: Asked,
  accountId: string,
): Promise<Found> {
  if (asked.mode === 'live') return (await live?.recall(questionOf(accountId, asked))) ?? { kind: 'gone' };
  const { address, acceptAll } = asked;
  const sample = await verifySample({ address, acceptAll, smtp: true, timeoutMs: 0 });
  return sample.result ? { kind: 'result', ...sample } : { kind: 'running' };
}

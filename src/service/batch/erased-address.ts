/**
 * The rest of an address that its owner has erased: its row and its reason, so that all counts stay right. The row
 * keeps its place, because readers of a batch count places.
 */
import type { Reason } from '../../protocol/result.ts';
import { STATE_OF_REASON } from '../../protocol/state-of-reason.ts';
import { faultResult } from './live/own-fault.ts';
import { type BatchResult, toBatchResult } from './result-fields.ts';

/** No entry of a batch is empty. */
export const ERASED_ADDRESS = '';

export const isErased = ({ email }: Pick<BatchResult, 'email'>): boolean => email === ERASED_ADDRESS;

export const erasedResult = (reason: Reason): BatchResult => ({
  ...toBatchResult(faultResult(ERASED_ADDRESS)),
  ...{ reason, score: 0, state: STATE_OF_REASON[reason] },
});

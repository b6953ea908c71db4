/**
 * The rest of an address that its owner has erased: its row and its reason, so that all counts stay right. The row
 * keeps its place, because readers of a batch count places.
 */

import type { Reason } from '../../protocol/result.ts';
import { STATE_OF_REASON } from '../../protocol/state-of-reason.ts';
import type { BatchResult } from './result-fields.ts';

/** No entry of a batch is empty. */
export const ERASED_ADDRESS = '';

export const isErased = ({ email }: Pick<BatchResult, 'email'>): boolean => email === ERASED_ADDRESS;

export const erasedResult = (reason: Reason): BatchResult => ({
  accept_all: null,
  did_you_mean: null,
  disposable: false,
  domain: '',
  email: ERASED_ADDRESS,
  first_name: null,
  free: false,
  full_name: null,
  gender: null,
  last_name: null,
  mailbox_full: false,
  mx_record: '',
  no_reply: false,
  reason,
  role: false,
  score: 0,
  smtp_provider: null,
  state: STATE_OF_REASON[reason],
  tag: null,
  user: '',
});

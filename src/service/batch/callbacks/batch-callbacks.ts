/** The callbacks of completed batches, as a worker of webhooks sends them. */
import type { WebhookQueue } from '../../webhooks/webhook-queue.ts';
import { readStatus } from '../batch-status.ts';
import {
  type ClaimedCallback,
  claimCallbacks,
  claimSuspectCallback,
  endTry,
  giveUpLate,
  releaseCallbacks,
  takeOverCallbacks,
} from './callback-store.ts';

export const BATCH_CALLBACKS: WebhookQueue<ClaimedCallback> = {
  table: 'callbacks',
  events: {
    tried: 'callback',
    notSent: 'callback not sent',
    notRecorded: 'try of a callback not recorded yet',
    givenUpUnsent: 'callback given up unsent',
    notClaimed: 'callbacks not claimed',
  },
  nameOf: (batch) => ({ batch }),
  idOf: ({ batch_id }) => batch_id,
  claim: claimCallbacks,
  claimSuspect: claimSuspectCallback,
  takeOver: takeOverCallbacks,
  release: releaseCallbacks,
  giveUpLate,
  endTry,
  /** What GET returns at this moment. */
  compose: ({ db, publicUrl }, { account_id, batch_id }) =>
    readStatus(db, { accountId: account_id, id: batch_id }, publicUrl.known),
};

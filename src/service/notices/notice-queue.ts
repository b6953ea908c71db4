/** The notices of accounts, as a worker of webhooks sends them. */
import type { WebhookQueue } from '../webhooks/webhook-queue.ts';
import { toNotice } from './notice-body.ts';
import {
  type ClaimedNotice,
  claimNotices,
  claimSuspectNotice,
  endNoticeTry,
  giveUpLateNotices,
  releaseNotices,
  takeOverNotices,
} from './notice-store.ts';

export const NOTICES: WebhookQueue<ClaimedNotice> = {
  table: 'notices',
  events: {
    tried: 'notice',
    notSent: 'notice not sent',
    notRecorded: 'try of a notice not recorded yet',
    givenUpUnsent: 'notice given up unsent',
    notClaimed: 'notices not claimed',
  },
  nameOf: (account) => ({ account }),
  idOf: ({ account_id }) => account_id,
  claim: claimNotices,
  claimSuspect: claimSuspectNotice,
  takeOver: takeOverNotices,
  release: releaseNotices,
  giveUpLate: giveUpLateNotices,
  endTry: endNoticeTry,
  compose: async (_, claimed) => toNotice(claimed),
};

/**
 * Renewals: the visitor who got a paid result from a public key may ask for it again, with a new proof. It costs no
 * credit, no conversation and no address of the day. A renewal does not extend the time.
 */
import type { Verified } from '../../../engine/verifier.ts';
import { networkOf } from '../../../shared/ip.ts';
import { within } from '../../../shared/within.ts';
import { describeError } from '../../core/log.ts';
import { coalesce } from '../../database/coalesce.ts';
import type { Deps } from '../../deps/deps.ts';
import type { Visitor } from '../../limits/unique-per-day.ts';
import { openOutcome, type Question, questionDigest, sealOutcome } from '../live/live-question.ts';
import { isFree } from '../live/live-runner.ts';
import { findRenewable, keepRenewable, type RenewableResult } from './renewal-store.ts';

const COALESCED = { atOnce: 2, most: 100 };

export interface Renewals {
  /** The result that this visitor may have again. */
  find(question: Question, visitor: Visitor): Promise<Verified | undefined>;
  /**
   * Keeps a result, unless it was free. The response waits for it, but not for longer than `longestMs`, and not if it
   * fails.
   */
  keep(question: Question, visitor: Visitor, verified: Verified, longestMs: number): Promise<void>;
}

/** Requests at the same moment share a round trip. */
export function createRenewals({ db, log, settings }: Pick<Deps, 'db' | 'log' | 'settings'>): Renewals {
  const findOne = coalesce((ids: readonly Buffer[]) => findRenewable(db, ids), COALESCED);
  const keepOne = coalesce(async (results: readonly RenewableResult[]) => {
    await keepRenewable(db, results, settings.durations.proofAgain);
    return results;
  }, COALESCED);

  return {
    async find(question, visitor) {
      const own = askedBy(visitor, question);
      const outcome = await findOne(questionDigest(own));
      return outcome && openOutcome(own, outcome);
    },
    async keep(question, visitor, verified, longestMs) {
      if (isFree(verified, settings)) return;
      const own = askedBy(visitor, question);
      // Visitors do not see the evidence.
      const outcome = sealOutcome(own, { ...verified, evidence: [] });
      const [id, common] = [questionDigest(own), questionDigest(question)];
      const kept = keepOne({ id, account_id: question.accountId, question: common, outcome }).catch((error) =>
        log('warn', 'result not kept', describeError(error)),
      );
      await within(longestMs, kept);
    },
  };
}

/** The question as only this visitor of the key can ask it. So nobody else can open the outcome. */
function askedBy({ keyId, ip }: Visitor, { accountId, address, smtp, acceptAll }: Question): Question {
  return { accountId: `${accountId} ${keyId} ${networkOf(ip)}`, address, smtp, acceptAll };
}

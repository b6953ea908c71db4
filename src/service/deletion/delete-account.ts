/** Deletes accounts with any amount of data. */
import { type Actor, forgetAuditOf } from '../audit/audit-store.ts';
import { disownOpen, disownSome, lockAccount } from '../batch/manage/manage-batches-store.ts';
import { forgetPaymentsOf } from '../credits/billing/payment-store.ts';
import { forgetLedgerOf } from '../credits/credit-store.ts';
import type { Db } from '../database/schema.ts';
import { forgetResponsesOf } from '../idempotency/idempotency-store.ts';
import { workWithin } from '../jobs/work-within.ts';
import { forgetKeysOf, revokeKeysOf } from '../keys/key-store.ts';
import { forgetRatesOf, forgetVisitorsOf } from '../limits/limit-store.ts';
import { disownDrafts } from '../lists/list-store.ts';
import { removeNoticeUrl } from '../notices/notice-store.ts';
import { forgetAppsOf } from '../oauth/apps/app-store.ts';
import { forgetDeviceRequestsOf } from '../oauth/device/device-store.ts';
import { forgetCodesOf, forgetTokensOf } from '../oauth/tokens/token-store.ts';
import {
  findUnlockedDeleted,
  holdAccount,
  markDeleted,
  removeAccount,
} from '../people/accounts/account-store.ts';
import { forgetInvitationsOf } from '../people/members/invitation-store.ts';
import { forgetMembersOf, listMembers } from '../people/members/member-store.ts';
import { recordPersonEvent } from '../people/persons/person-events.ts';
import { leaveAccount } from '../people/sessions/session-store.ts';
import { forgetDailyResultsOf, forgetRefusalsOf } from '../usage/usage-store.ts';
import { forgetVerificationsOf } from '../verify/live/live-store.ts';
import { forgetRenewableOf } from '../verify/renewals/renewal-store.ts';

/** How long a deletion works on before it leaves the rest to the housekeeping. Most accounts are gone by then. */
const LONGEST_MS = 1_000;

/** Deletes some rows of an account. @returns whether there may be more */
type Part = (db: Db, accountId: string) => Promise<boolean>;

/** What could still open something comes first. An app and a key come after what belongs to them. */
const PARTS: readonly Part[] = [
  ...[forgetCodesOf, forgetDeviceRequestsOf, forgetTokensOf, forgetAppsOf, disownSome, disownDrafts],
  ...[forgetVisitorsOf, forgetRatesOf, forgetRefusalsOf, forgetKeysOf, forgetResponsesOf],
  ...[forgetVerificationsOf, forgetRenewableOf, forgetDailyResultsOf, forgetAuditOf, forgetLedgerOf],
  ...[forgetPaymentsOf, forgetMembersOf],
];

/**
 * Deletes an account. Its address is free again, and nothing of the account works any more. It deletes the data of most
 * accounts too. The housekeeping deletes what is left, also if this is interrupted. A second call goes on with it.
 *
 * @returns whether the account existed and was not deleted
 */
export async function deleteAccount(
  db: Db,
  id: string,
  longestMs = LONGEST_MS,
  by?: Actor,
): Promise<boolean> {
  const isThere = await db.transaction().execute((transaction) => endAccount(transaction, id, by));
  await workWithin(longestMs, () => forgetAccount(db, id));
  return isThere;
}

/**
 * The first part of a deletion, within the caller's transaction.
 *
 * @param by whom the members are told of @default the operator
 * @returns as `deleteAccount()`
 */
export async function endAccount(
  transaction: Db,
  id: string,
  by: Actor = { kind: 'operator' },
): Promise<boolean> {
  // Before everything that belongs to it.
  await lockAccount(transaction, id);
  const subject = await holdAccount(transaction, id);
  if (!(await markDeleted(transaction, id))) return false;
  for (const { personId } of await listMembers(transaction, id))
    await recordPersonEvent(transaction, { personId, event: 'member.left', subject, by });
  await leaveAccount(transaction, id);
  await forgetInvitationsOf(transaction, id);
  await removeNoticeUrl(transaction, id);
  await revokeKeysOf(transaction, id);
  // So that a device that polls now learns that it gets no tokens.
  await forgetDeviceRequestsOf(transaction, id);
  await disownOpen(transaction, id);
  await disownDrafts(transaction, id);
  return true;
}

/**
 * Deletes some rows of the account that was deleted first. Several processes may do it at once. A locked account holds up
 * no others.
 *
 * @returns whether there may be more, of any deleted account
 */
export async function forgetDeletedAccounts(db: Db): Promise<boolean> {
  const id = await findUnlockedDeleted(db);
  if (id !== undefined) await forgetAccount(db, id);
  return id !== undefined;
}

/** @returns whether there may be more of this account */
async function forgetAccount(db: Db, id: string): Promise<boolean> {
  for (const part of PARTS) if (await part(db, id)) return true;
  await removeAccount(db, id);
  return false;
}

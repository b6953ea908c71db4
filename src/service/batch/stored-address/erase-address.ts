/** Erases an address from the data of an account. All counts of its batches stay. */
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { replaceResponses } from '../../idempotency/idempotency-store.ts';
import { draftIdsOf, emptyListRows, forgetFile, forgetGuessedFiles } from '../../lists/list-store.ts';
import { eraseRenewable } from '../../verify/renewals/renewal-store.ts';
import { ERASED_ADDRESS, erasedResult } from '../erased-address.ts';
import { lockAccount } from '../manage/manage-batches-store.ts';
import { type FoundRow, findAddress, questionsAbout, type StoredAddress } from './find-address.ts';
import { createMatcher } from './match-address.ts';
import { replaceNames } from './name-store.ts';
import { type Replacement, replaceRows } from './stored-address-store.ts';

/** How much was erased. */
export interface Erased {
  /** Addresses with their results, and results that suggested the address. */
  readonly results: number;
  readonly list_rows: number;
  /** Workbooks whose other sheets are no longer kept. */
  readonly workbooks: number;
  readonly responses: number;
  /** Names of lists and batches, and titles of columns. */
  readonly names: number;
}

/**
 * Skips rows of running batches, because their addresses are being verified. One transaction erases everything and
 * writes the audit log, which does not name the address.
 */
export async function eraseAddress(
  db: Db,
  accountId: string,
  address: string,
  actor: Actor,
): Promise<Erased> {
  for (;;) {
    const found = await findAddress(db, accountId, address);
    const erased = await eraseFound(db, { accountId, address, actor, found });
    // Each further search needs an owner who uploads, starts or discards a list during the one before.
    if (erased) return erased;
  }
}

interface Erasure {
  readonly accountId: string;
  readonly address: string;
  readonly actor: Actor;
  readonly found: StoredAddress;
}

/** @returns undefined, and erases nothing, if the account has other drafts since the search */
async function eraseFound(
  db: Db,
  { accountId, address, actor, found }: Erasure,
): Promise<Erased | undefined> {
  return db.transaction().execute(async (transaction) => {
    // Deletions of batches also lock the account, so all batches stay meanwhile. New drafts and batches wait.
    await lockAccount(transaction, accountId);
    if (!isEqual(await draftIdsOf(transaction, accountId), found.drafts)) return undefined;
    let results = 0;
    for (const [batchId, rows] of groupBy(found.rows, ({ batch }) => batch.id)) {
      const replacements = rows.flatMap(replacementOf);
      if (replacements.length > 0) results += await replaceRows(transaction, batchId, replacements);
    }
    let list_rows = 0;
    for (const [listId, rows] of groupBy(found.listRows, ({ list }) => list.id)) {
      if (rows[0]!.list.is_open) continue;
      const numbers = rows.map(({ number }) => number);
      list_rows += await emptyListRows(transaction, listId, numbers);
    }
    // Also of running batches, whose addresses are in rows of their own. The other sheets go, because the address can be
    // anywhere in the file: in texts that sheets share, in caches of pivot tables, in formulas.
    for (const { list_id } of found.workbooks) await forgetFile(transaction, list_id);
    // A draft in the wrong encoding has other letters. The right one would bring the address back.
    if (NOT_ASCII.test(address)) await forgetGuessedFiles(transaction, found.drafts);
    const responses = await replaceResponses(transaction, accountId, found.responses);
    const names = await replaceNames(transaction, accountId, found.names, createMatcher(address));
    await eraseRenewable(transaction, accountId, questionsAbout(accountId, address));
    const workbooks = found.workbooks.length;
    const erased = { results, list_rows, workbooks, responses, names };
    await recordAuditEvent(transaction, { accountId, actor, action: 'address.erase', details: erased });
    return erased;
  });
}

const NOT_ASCII = /[^\0-\x7f]/;

const isEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((id) => others.includes(id));

function replacementOf({ as, place, reason, result, batch }: FoundRow): Replacement[] {
  if (!batch.completed_at) return [];
  if (as === 'suggestion') return [{ place, address: null, result: { ...result!, did_you_mean: null } }];
  return [{ place, address: ERASED_ADDRESS, result: reason && erasedResult(reason) }];
}

function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

/** Finds all data of an account about one address. */
import type { Db } from '../../database/schema.ts';
import { findResponses, type StoredResponse } from '../../idempotency/idempotency-store.ts';
import type { KeptWorkbook } from '../../lists/list-store.ts';
import { questionDigest } from '../../verify/live/live-question.ts';
import { countVerifications } from '../../verify/live/live-store.ts';
import { countRenewable } from '../../verify/renewals/renewal-store.ts';
import { findInWorkbooks } from './find-in-workbook.ts';
import { createMatcher, type Matcher } from './match-address.ts';
import { candidateNames, candidateUrls, newName, type SearchedUrl, type StoredName } from './name-store.ts';
import {
  type CandidateListRow,
  type CandidateRow,
  candidateListRows,
  candidateRows,
  type SearchedBatch,
  type SearchedList,
  searchedBatches,
  searchedLists,
} from './stored-address-store.ts';

/** An address of a batch, or another one whose result suggests it. */
export interface FoundRow extends CandidateRow {
  readonly batch: SearchedBatch;
  /** `suggestion`: the result of another address suggests it as the intended one. */
  readonly as: 'address' | 'suggestion';
}

export type FoundListRow = CandidateListRow & { readonly list: SearchedList };

export interface StoredAddress {
  readonly rows: readonly FoundRow[];
  readonly listRows: readonly FoundListRow[];
  /** The kept workbooks that have it in any sheet. */
  readonly workbooks: readonly KeptWorkbook[];
  /** The ids of all drafts that were searched. */
  readonly drafts: readonly string[];
  /** Responses that are kept for their `Idempotency-Key`. */
  readonly responses: readonly StoredResponse[];
  /** How many such keys contain the address. They stay, because otherwise their requests could be charged again. */
  readonly keys: number;
  /** Names and titles with the address. */
  readonly names: readonly StoredName[];
  /** Batches whose callback goes to a URL with the address. It stays, because callbacks go there. */
  readonly urls: readonly SearchedUrl[];
  /** Live verifications that are running, or whose results are kept for a repeated request. */
  readonly verifications: number;
}

export async function findAddress(db: Db, accountId: string, address: string): Promise<StoredAddress> {
  const matcher = createMatcher(address);
  const rows: FoundRow[] = [];
  for (const batch of await searchedBatches(db, accountId)) {
    for await (const row of candidateRows(db, batch, matcher.ascii)) {
      if (matcher.isIn(row.address)) rows.push({ ...row, batch, as: 'address' });
      else if (suggests(row, matcher)) rows.push({ ...row, batch, as: 'suggestion' });
    }
  }
  const listRows: FoundListRow[] = [];
  const lists = await searchedLists(db, accountId);
  for (const list of lists) {
    const ofBatch = rows.filter(({ as, batch }) => as === 'address' && batch.id === list.batch_id);
    const places = ofBatch.map(({ place }) => place);
    for await (const row of candidateListRows(db, list, matcher.ascii, places)) {
      const isMeant =
        row.cells.some(matcher.isIn) || row.places.flat().some((place) => places.includes(place!));
      if (isMeant) listRows.push({ ...row, list });
    }
  }
  const questions = questionsAbout(accountId, address);
  const candidates = await findResponses(db, accountId, matcher.ascii);
  return {
    rows,
    listRows,
    workbooks: await findInWorkbooks(db, accountId, matcher),
    drafts: lists.filter(({ batch_id }) => batch_id === null).map(({ id }) => id),
    responses: candidates.filter(({ body }) => textsIn(JSON.parse(body)).some(matcher.isIn)),
    keys: candidates.filter(({ key }) => matcher.isIn(key)).length,
    names: (await candidateNames(db, accountId, matcher.ascii)).filter((name) => newName(name, matcher)),
    urls: (await candidateUrls(db, accountId, matcher.ascii)).filter(({ url }) => matcher.isIn(url)),
    verifications:
      (await countVerifications(db, accountId, questions)) + (await countRenewable(db, accountId, questions)),
  };
}

const suggests = ({ result }: CandidateRow, { is }: Matcher): boolean =>
  typeof result?.did_you_mean === 'string' && is(result.did_you_mean);

/** All texts in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Questions are stored as digests, so only this one and the one in lower case can be found, in any spelling. */
export function questionsAbout(accountId: string, address: string): Buffer[] {
  const spellings = new Set([address.trim(), address.trim().toLowerCase()]);
  const flags = [true, false];
  return [...spellings].flatMap((spelling) =>
    flags.flatMap((smtp) =>
      flags.map((acceptAll) => questionDigest({ accountId, address: spelling, smtp, acceptAll })),
    ),
  );
}

/** Reads the status of a batch, for GET and for callbacks. */

import type { Reason } from '../../protocol/result.ts';
import type { Db } from '../database/schema.ts';
import { MOST_INLINE, type StatusBody, statusBody } from './batch-response.ts';
import { type Batch, findBatch, type ResultRow, readProgress, readResults } from './batch-store.ts';
import { downloadUrl } from './download/download-name.ts';
import { isErased } from './erased-address.ts';
import { duplicatesOf } from './result-counts.ts';
import { pickFields } from './result-fields.ts';

/** Whose status to read. */
export interface StatusQuestion {
  /** The account that must own the batch. */
  readonly accountId: string;
  readonly id: string;
  /** Whether to include the results so far. @default false */
  readonly partial?: boolean | undefined;
}

/**
 * @param publicUrl the base of links, for the link to the results of a large batch
 * @returns undefined if the account has no such batch
 */
export async function readStatus(
  db: Db,
  { accountId, id, partial = false }: StatusQuestion,
  publicUrl: Promise<string>,
): Promise<StatusBody | undefined> {
  const batch = await findBatch(db, accountId, id);
  if (!batch) return undefined;
  if (batch.completed_at) return completed(db, batch, publicUrl);
  const state = batch.paused_at ? 'paused' : 'verifying';
  const { total } = batch;
  if (partial && total <= MOST_INLINE) {
    const rows = await readResults(db, id);
    return statusBody({ id, state, total, ...progressOf(rows), emails: emailsOf(batch, rows) });
  }
  return statusBody({ id, state, total, ...(await readProgress(db, id)), emails: undefined });
}

async function completed(db: Db, batch: Batch, publicUrl: Promise<string>): Promise<StatusBody> {
  const { id, total, reason_counts, stopped_after, is_expired, download_name } = batch;
  const isInline = total <= MOST_INLINE && !is_expired;
  const rows = isInline ? await readResults(db, id) : [];
  return statusBody({
    id,
    state: 'completed',
    total,
    tally: reason_counts ?? {},
    duplicates: duplicatesOf(batch),
    // The results may have been deleted between the two reads. A batch may also have been stopped before the first one.
    emails: rows.length > 0 || (isInline && stopped_after === 0) ? emailsOf(batch, rows) : undefined,
    downloadFile:
      download_name === null || is_expired ? undefined : downloadUrl(await publicUrl, download_name),
  });
}

/** The owner may have erased some of them, which still count. */
const emailsOf = ({ response_fields }: Batch, rows: readonly ResultRow[]) =>
  rows
    .filter(({ result }) => !isErased(result))
    .map(({ result }) => pickFields(result, response_fields as never));

/** Counts the results of the response itself, so that the figures agree with them. */
function progressOf(rows: readonly ResultRow[]) {
  const tally: Partial<Record<Reason, number>> = {};
  let duplicates = 0;
  for (const row of rows) {
    tally[row.reason] = (tally[row.reason] ?? 0) + 1;
    duplicates += row.duplicates;
  }
  return { tally, duplicates };
}

/** Starts the batch of a draft. One transaction stores the batch, its credits, the places of the rows and the audit log. */
import { recordAuditEvent } from '../../audit/audit-store.ts';
import { type Created, createBatch } from '../../batch/create-batch.ts';
import { entriesOfList } from '../../batch/storage/storage-limits.ts';
import type { Deps } from '../../deps/deps.ts';
import { attachBatch, type List, lockList, readFirstRows, rowsBelow } from '../../lists/list-store.ts';
import type { Someone } from '../../people/persons/person-store.ts';
import { readReceiverUrl } from '../../webhooks/receiver-url.ts';
import { actorOf, type DashboardDeps } from '../visit.ts';
import type { Entries } from './list-entries.ts';
import { allRows } from './look-through.ts';
import { whyAlone } from './other-sheets.ts';
import type { Choices } from './review-choices.ts';

export interface StartRequest {
  readonly accountId: string;
  /** Who starts it. */
  readonly person: Someone;
  readonly list: List;
  readonly choices: Choices;
  /** The entries for the owner's choices. */
  readonly entries: Entries;
}

/** `gone`: the draft was deleted. `started`: by this request or by an earlier one. */
export type Started =
  | { readonly kind: 'started'; readonly batchId: string }
  | { readonly kind: 'gone' }
  | Extract<Created, { kind: 'no-credits' | 'storage-full' }>;

/** Ends the transaction, because the list has a batch or is gone. */
class Taken extends Error {
  constructor(readonly batchId: string | undefined) {
    super('the list is no longer a draft');
  }
}

/** @throws {Failure} for a callback URL that cannot be used */
export async function startBatch(deps: DashboardDeps, request: StartRequest): Promise<Started> {
  const { accountId, person, list, choices, entries } = request;
  const { mode, retries, acceptAll, name, columns, titles } = choices;
  const url = choices.url === '' ? null : readReceiverUrl(choices.url, deps.settings.callbacks);
  const header = titles === null ? null : await headerOf(deps, list, titles);
  const rows = rowsBelow(allRows(list), titles);
  const alone = whyAlone(list.findings, choices);
  const kept = alone === undefined ? (list.findings.original?.bytes ?? 0) : 0;
  try {
    const created = await createBatch(deps, {
      ...{ accountId, madeBy: person.id, mode, name, retries, acceptAll, url, responseFields: null },
      entries: entries.entries,
      total: entries.total,
      storedEntries: entriesOfList(entries.total, list.bytes + kept),
      async alongside(transaction, batchId) {
        // A second request waits here. The account is not locked yet, so other requests do not wait.
        const locked = await lockList(transaction, accountId, list);
        if (!locked || locked.batch_id !== null) throw new Taken(locked?.batch_id ?? undefined);
        const { numbers, places, several, blank } = entries;
        await attachBatch(transaction, list, {
          ...{ batchId, name, columns, header, titles, rows, numbers, places, several, blank },
          alone,
        });
        await recordAuditEvent(transaction, {
          ...{ accountId, actor: actorOf({ person }), action: 'batch.create' },
          subject: { id: batchId, name },
          details: { mode, addresses: entries.entries.distinct },
        });
      },
    });
    if (created.kind === 'created') return { kind: 'started', batchId: created.id };
    if (created.kind === 'no-credits' || created.kind === 'storage-full') return created;
    // The account was just deleted, and its lists with it.
    return { kind: 'gone' };
  } catch (error) {
    if (!(error instanceof Taken)) throw error;
    return error.batchId === undefined ? { kind: 'gone' } : { kind: 'started', batchId: error.batchId };
  }
}

/** A title for each column. */
async function headerOf({ db }: Pick<Deps, 'db'>, list: List, titles: number): Promise<string[]> {
  const header = (await readFirstRows(db, list.id, titles + 1))[titles] ?? [];
  return Array.from({ length: list.columns }, (_, column) => header[column] ?? '');
}

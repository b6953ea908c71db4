/** Verifies a random sample of a list, before its owner decides about the whole. The sample is a batch of its own. */
import { nextTurn } from '../../../shared/steps.ts';
import { countFreeSamples, recordAuditEvent } from '../../audit/audit-store.ts';
import { type Created, createBatch } from '../../batch/create-batch.ts';
import { type BatchEntries, type BatchEntry, entriesOf } from '../../batch/entries/collected-entries.ts';
import { cleanName } from '../../lists/list-name.ts';
import { lockList, setSample } from '../../lists/list-store.ts';
import { actorOf, type DashboardDeps } from '../visit.ts';
import type { StartRequest } from './start-batch.ts';

/** How many addresses a sample has. A smaller list is verified whole. */
export const SAMPLE = 100;
/** How many samples the operator gives an account in a day, so that nobody verifies a list in free parts. */
export const MOST_FREE = 20;

/** Whether the next sample of the account costs no credits. */
export const isSampleFree = async (
  { db, settings }: Pick<DashboardDeps, 'db' | 'settings'>,
  accountId: string,
): Promise<boolean> => settings.freeForecast && (await countFreeSamples(db, accountId)) < MOST_FREE;

/**
 * `started`: by this request or by an earlier one. `gone`: the draft was started or deleted. `not-free`: the owner was
 * promised a free one, and others have used up those of the day meanwhile.
 */
export type Sampled =
  | { readonly kind: 'started' | 'gone' | 'not-free' }
  | Extract<Created, { kind: 'no-credits' | 'storage-full' }>;

/** Ends the transaction, because there is a sample already, no draft, or no further free sample. */
class Taken extends Error {
  constructor(readonly kind: 'started' | 'gone' | 'not-free') {
    super(kind);
  }
}

/** @param isPromised whether its page has said that it is free */
export async function startSample(
  deps: DashboardDeps,
  request: StartRequest,
  isPromised: boolean,
): Promise<Sampled> {
  const { accountId, person, list, choices, entries } = request;
  const sample = await drawSample(entries.entries, Math.random);
  const isFree = await isSampleFree(deps, accountId);
  if (isPromised && !isFree) return { kind: 'not-free' };
  const name = cleanName(`Sample of ${choices.name}`, 'Sample');
  try {
    const created = await createBatch(deps, {
      ...{ accountId, madeBy: person.id, mode: 'live', name, isFree, acceptAll: choices.acceptAll },
      // A forecast is for now. Addresses with a temporary answer count as unknown.
      ...{ retries: false, url: null, responseFields: null },
      ...{ entries: entriesOf(sample), total: sample.length },
      async alongside(transaction, batchId) {
        const locked = await lockList(transaction, accountId, list);
        if (!locked || locked.batch_id !== null) throw new Taken('gone');
        if (locked.sample_id !== list.sample_id) throw new Taken('started');
        await setSample(transaction, list.id, batchId);
        await recordAuditEvent(transaction, {
          ...{ accountId, actor: actorOf({ person }), action: 'batch.create' },
          subject: { id: batchId, name },
          details: { mode: 'live', addresses: sample.length, ...(isFree && { is_free: true }) },
        });
      },
      async lastly(transaction) {
        // This one is counted, too.
        if (isFree && (await countFreeSamples(transaction, accountId)) > MOST_FREE)
          throw new Taken('not-free');
      },
    });
    if (created.kind === 'no-credits' || created.kind === 'storage-full') return created;
    return { kind: created.kind === 'created' ? 'started' : 'gone' };
  } catch (error) {
    if (error instanceof Taken) return { kind: error.kind };
    throw error;
  }
}

/**
 * Draws distinct addresses, each with the same chance (Vitter's algorithm R).
 *
 * @param random a number from 0 to 1, without 1
 */
export async function drawSample(entries: BatchEntries, random: () => number): Promise<BatchEntry[]> {
  const sample: BatchEntry[] = [];
  let seen = 0;
  for await (const part of entries.parts()) {
    await nextTurn();
    for (const { address } of part) {
      seen += 1;
      const place = seen <= SAMPLE ? sample.length : Math.floor(random() * seen);
      if (place < SAMPLE) sample[place] = { address, duplicates: 0 };
    }
  }
  return sample;
}

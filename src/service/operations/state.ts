/** The state of the service in figures, for the operator's page in a terminal. `overview.ts` has the same in words. */
import { loadPublishedLists, PACKAGED_AT } from '../../engine/facts/lists.ts';
import { createEngineFacts } from '../../engine/facts/operator-lists.ts';
import { countCallbacks } from '../batch/callbacks/callback-store.ts';
import { readQueueSizes } from '../batch/overview/batch-overview-store.ts';
import { type BookAudit, readAudit } from '../books/night-store.ts';
import { countOpenPayments } from '../credits/billing/payment-store.ts';
import type { Db } from '../database/schema.ts';
import { listProcesses } from '../jobs/process-store.ts';
import { countLists } from '../lists/list-store.ts';
import { readRunning } from '../verify/live/live-store.ts';

const DAY_MS = 86_400_000;

/** Each is read on its own, because an older schema may lack what one of them reads. */
export const STATE = {
  async processes(db: Db) {
    const found = await listProcesses(db);
    const alive = found.filter(({ is_alive }) => is_alive).length;
    return { alive, dead: found.length - alive };
  },
  async queues(db: Db) {
    const sizes = await readQueueSizes(db);
    const callbacks = await countCallbacks(db);
    const running = await readRunning(db);
    const addresses = (wanted: 'live' | 'test') => {
      const size = sizes.find(({ mode }) => mode === wanted);
      const { ready = 0, claimed = 0, later = 0, paused = 0 } = size ?? {};
      return { ready, claimed, later, paused };
    };
    const callbacksThat = (wanted: string) => callbacks.find(({ state }) => state === wanted)?.count ?? 0;
    return {
      addresses: { live: addresses('live'), test: addresses('test') },
      callbacks: {
        ...{ due: callbacksThat('due'), retry: callbacksThat('retry') },
        ...{ being_sent: callbacksThat('being sent'), given_up: callbacksThat('given up') },
      },
      verifications: running.reduce((sum, { count }) => sum + count, 0),
    };
  },
  async books(db: Db) {
    const audit = await readAudit(db);
    return {
      audited_at: audit?.ended_at?.toISOString() ?? null,
      differences: audit?.difference_count ?? null,
      next_audit_at: audit?.due_at.toISOString() ?? null,
      in_words: sayBooks(audit),
    };
  },
  async payments(db: Db) {
    const { count, since } = await countOpenPayments(db);
    return { open: count, since: since?.toISOString() ?? null };
  },
  async lists(db: Db, listsFolder?: string) {
    const published = loadPublishedLists();
    const { disposableDomains, freeDomains, roleNames, disposableMailServers } = published;
    const ofPublished = <Value>(tell: (at: Date) => Value) => ({
      disposable_domains: tell(PACKAGED_AT.get('disposable')!),
      free_domains: tell(PACKAGED_AT.get('free')!),
      role_names: tell(PACKAGED_AT.get('role')!),
      disposable_mail_servers: tell(PACKAGED_AT.get('disposable-mx')!),
    });
    const daysSince = (at: Date) => Math.max(0, Math.floor((Date.now() - at.getTime()) / DAY_MS));
    const own = createEngineFacts(published, listsFolder)
      .reportLists()
      .flatMap(({ name, own }) => (own ? [{ name, ...own }] : []));
    return {
      uploaded: { ...(await countLists(db)) },
      published: {
        ...{ disposable_domains: disposableDomains.size, free_domains: freeDomains.size },
        ...{ role_names: roleNames.size, disposable_mail_servers: disposableMailServers.size },
      },
      published_on: ofPublished((at) => at.toISOString().slice(0, 10)),
      published_age_days: ofPublished(daysSince),
      own: own.map(({ name, entries, changedAt }) => ({
        ...{ file: `${name}.txt`, entries, changed_at: changedAt.toISOString() },
        age_days: daysSince(changedAt),
      })),
    };
  },
} as const;

function sayBooks(audit: BookAudit | undefined): string {
  if (audit?.difference_count == null)
    return 'They are audited at night for the first time. audit-books does it now.';
  return audit.difference_count === 0
    ? 'The latest audit found no difference.'
    : 'The latest audit found differences. audit-books lists those of now.';
}

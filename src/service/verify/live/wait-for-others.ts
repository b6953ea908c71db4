/** Waits for verifications of other processes, with one query for all of them. */
import { describeError, type Log } from '../../core/log.ts';
import type { Db } from '../../database/schema.ts';
import { type Look, lookAtVerifications } from './live-store.ts';

/** The sealed result, or undefined if the verification ended without one. It waits until the signal aborts. */
export type WaitForOther = (id: string, signal: AbortSignal) => Promise<Buffer | undefined>;

/** @param isLost whether a running verification will never have a result */
export function createWaitForOther(
  db: Db,
  isLost: (look: Look) => boolean,
  everyMs: number,
  log: Log,
): WaitForOther {
  const waiting = new Map<string, Set<(outcome: Buffer | undefined) => void>>();
  let isScheduled = false;

  const schedule = () => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    setTimeout(poll, everyMs);
  };

  async function poll(): Promise<void> {
    const ids = [...waiting.keys()];
    try {
      const looks = ids.length > 0 ? await lookAtVerifications(db, ids) : [];
      const byId = new Map(looks.map((look) => [look.id, look]));
      for (const id of ids) {
        const look = byId.get(id);
        if (look && look.outcome === null && !isLost(look)) continue;
        for (const resolve of waiting.get(id) ?? []) resolve(look?.outcome ?? undefined);
        waiting.delete(id);
      }
    } catch (error) {
      // The database may come back while the requests wait.
      log('warn', 'verifications not watched', describeError(error));
    }
    isScheduled = false;
    schedule();
  }

  return (id, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return;
      const others = waiting.get(id) ?? new Set();
      waiting.set(id, others.add(resolve));
      signal.addEventListener('abort', () => {
        others.delete(resolve);
        if (others.size === 0 && waiting.get(id) === others) waiting.delete(id);
      });
      schedule();
    });
}

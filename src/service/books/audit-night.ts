/**
 * Audits the books once a night, a few accounts at a time. Any process does the next chunk, one at a time, and goes on
 * where a dead one stopped.
 */
import type { Log } from '../core/log.ts';
import type { Db, Difference } from '../database/schema.ts';
import { forgetOrphans } from '../usage/usage-store.ts';
import { auditChunk } from './audit-chunk.ts';
import { inSnapshot } from './books-store.ts';
import { endTurn, scheduleAudit, takeTurn } from './night-store.ts';

/** Another process has done the same chunk, or has changed what this one changes. */
const SERIALIZATION_FAILURE = '40001';

/**
 * Audits the next accounts, if an audit is due.
 *
 * @returns whether there is more to audit, for this process
 */
export async function auditNext(db: Db, log: Log): Promise<boolean> {
  await scheduleAudit(db);
  try {
    return await inSnapshot(db, async (snapshot) => {
      const turn = await takeTurn(snapshot);
      if (!turn) return false;
      const { after, takesOver } = turn;
      const { differences, last } = await auditChunk(snapshot, after, { takesOver });
      await forgetOrphans(snapshot, after, last);
      const { difference_count, differences: all } = await endTurn(snapshot, last, differences);
      if (last === undefined) tell(log, difference_count!, all!);
      return last !== undefined;
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === SERIALIZATION_FAILURE) return false;
    throw error;
  }
}

function tell(log: Log, count: number, differences: readonly Difference[]): void {
  const kinds = [...new Set(differences.map(({ kind }) => kind))].join(' ');
  if (count === 0) log('info', 'books audited');
  else log('error', 'books differ', { count, kinds });
}

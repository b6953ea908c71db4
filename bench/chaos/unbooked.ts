/**
 * Results that a process sent before it had booked them. While the database is silent, the timeout bounds the response
 * all the same. If the process then dies, or counts as dead, the credit goes back, and the result was free. Nothing else
 * makes a result free.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { GRACE_MS } from '../../src/service/core/bounds.ts';
import type { Db } from '../../src/service/database/schema.ts';
import type { Disturbance } from './disturb.ts';

export interface Unbooked {
  /** Reads a line of the log of a process. */
  read(line: string): void;
  /** Says what was sent although the way to the database was open. */
  compare(disturbances: readonly Disturbance[]): string[];
  /** How many of them were free, by account. */
  free(db: Db): Promise<Map<string, number>>;
  readonly count: number;
}

/** A commit of the run itself, or its own turn, took so long that a process may not have booked in time. */
export const SLOW = 'slow';
/** An end may wait for the round trip before its own. */
const SLOW_MS = GRACE_MS / 2;
/** What keeps a process from the database. */
const ON_THE_WAY = new Set(['silent', 'cut', 'frozen', SLOW]);
/** So long a process may wait for a connection that is silent, and connect again. */
const AFTER_MS = 15_000;
const COMMIT_EVERY_MS = 50;

/**
 * Commits all the time, and notes which commits are slow, and which turns of this process. On a machine that is busy with
 * other things, the database answers late and processes do not get their turn, without any disturbance. Two slow round
 * trips take as long as a process waits for one that it has not booked.
 */
export async function watchCommits(db: Db): Promise<{ stop(): Promise<Disturbance[]> }> {
  await sql`create table chaos_commits (at timestamptz)`.execute(db);
  const slow: Disturbance[] = [];
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const from = performance.now();
      await pause(COMMIT_EVERY_MS);
      await sql`insert into chaos_commits values (now())`.execute(db);
      const to = performance.now();
      if (to - from - COMMIT_EVERY_MS > SLOW_MS) slow.push({ name: SLOW, from, to });
    }
  };
  const watching = watch();
  return {
    async stop() {
      isOver = true;
      await watching;
      return slow;
    },
  };
}

export function watchUnbooked(): Unbooked {
  /** When each verification was sent, by its id. */
  const sent = new Map<string, number>();
  return {
    read(line) {
      if (!line.includes('result sent before it was booked')) return;
      sent.set((JSON.parse(line) as { verification: string }).verification, performance.now());
    },
    compare: (disturbances) =>
      [...sent].flatMap(([id, at]) => {
        const isDisturbed = disturbances.some(
          ({ name, from, to }) =>
            ON_THE_WAY.has(name) && from <= at && at <= to + (name === SLOW ? GRACE_MS : AFTER_MS),
        );
        return isDisturbed ? [] : [`verification ${id}: sent before it was booked, without a disturbance`];
      }),
    async free(db) {
      const { rows } = await sql<{ account_id: string; count: number }>`
        select account_id, count(*) as count from ledger
        where why = 'refund' and of = any(${[...sent.keys()]}::text[]) group by account_id
      `.execute(db);
      return new Map(rows.map(({ account_id, count }) => [account_id, count]));
    },
    get count() {
      return sent.size;
    },
  };
}

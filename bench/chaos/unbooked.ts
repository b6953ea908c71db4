/**
 * Results that a process sent before it had booked them. While the database is silent, the timeout bounds the response
 * all the same. If the process then dies, or counts as dead, the credit goes back, and the result was free. Nothing else
 * makes a result free.
 */
import { sql } from 'kysely';
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

/** What keeps a process from the database. */
const ON_THE_WAY = new Set(['silent', 'cut', 'frozen']);
/** So long a process may wait for a connection that is silent, and connect again. */
const AFTER_MS = 15_000;

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
          ({ name, from, to }) => ON_THE_WAY.has(name) && from <= at && at <= to + AFTER_MS,
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

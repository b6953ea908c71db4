/** What a worker of webhooks sends: a table of messages, each of which is sent until a 200 or its end. */
import type { Db } from '../database/schema.ts';
import type { Deps } from '../deps/deps.ts';
import type { ClaimedTry, EndedTry, RetrySchedule, StateAfterTry } from './webhook-store.ts';

/** How many messages a process may send at once. */
export interface Capacity {
  /** How many more in total. */
  readonly most: number;
  /** How many for one account, including those being sent now. */
  readonly mostOfAccount: number;
  /** How many for one URL of an account, including those being sent now. */
  readonly mostOfReceiver: number;
}

/** Messages of one kind, with the functions of their store. */
export interface WebhookQueue<Claimed extends ClaimedTry> {
  readonly table: 'callbacks' | 'notices';
  /** What the log says. */
  readonly events: Readonly<
    Record<'tried' | 'notSent' | 'notRecorded' | 'givenUpUnsent' | 'notClaimed', string>
  >;
  /** Names a message in the log. */
  nameOf(id: string): Readonly<Record<string, string>>;
  idOf(claimed: Claimed): string;
  claim(db: Db, processId: string, capacity: Capacity): Promise<Claimed[]>;
  claimSuspect(db: Db, processId: string): Promise<Claimed | undefined>;
  /** @returns the ids of those that were given up */
  takeOver(db: Db): Promise<string[]>;
  release(db: Db, processId: string, sending: readonly Claimed[]): Promise<void>;
  /** @returns their ids */
  giveUpLate(db: Db, schedule: RetrySchedule): Promise<string[]>;
  endTry(
    db: Db,
    processId: string,
    claimed: Claimed,
    ended: EndedTry,
    schedule: RetrySchedule,
  ): Promise<StateAfterTry | undefined>;
  /** The JSON value to send at this moment. @returns undefined if there is nothing to send any more */
  compose(deps: Pick<Deps, 'db' | 'publicUrl'>, claimed: Claimed): Promise<unknown>;
}

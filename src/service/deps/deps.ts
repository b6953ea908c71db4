/** What the rooms of a service with a database share. The app makes one record for each process. */
import type { ListReport } from '../../engine/facts/facts.ts';
import type { Verifier } from '../../engine/verifier.ts';
import type { Settings as LoadedSettings } from '../config/load-settings.ts';
import type { Log } from '../core/log.ts';
import type { PublicUrl } from '../core/public-url.ts';
import type { Billing } from '../credits/billing/billing.ts';
import type { CreditListener } from '../credits/credit-store.ts';
import type { UntilUnlocked } from '../credits/unlocked.ts';
import type { Db } from '../database/schema.ts';
import type { Outage } from '../database/unavailable.ts';
import type { UsageCounter } from '../usage/usage-counter.ts';
import type { Lease } from './lease.ts';

/** The settings without the keys of the config, which nothing holds after the start. */
export type Settings = Omit<LoadedSettings, 'keys'>;

/** A function names the members that it uses: `Pick<Deps, 'db' | 'log'>`. */
export interface Deps {
  readonly db: Db;
  readonly log: Log;
  /** The id of this process. */
  readonly processId: string;
  readonly lease: Lease;
  readonly settings: Settings;
  /** The base of links. */
  readonly publicUrl: PublicUrl;
  readonly usage: UsageCounter;
  /** The billing service of the operator, for missing credits. */
  readonly billing: Billing | undefined;
  /** Waits for a locked account without a connection. */
  readonly untilUnlocked: UntilUnlocked;
  /** Counts the credits for the metrics. */
  readonly onCredits: CreditListener;
  /** Returns a result for every text. It does not know the test addresses, which work only at `/v1/verify`. */
  readonly sampleVerifier: Verifier;
  /** Each wakes a worker of this process, if it has one. The workers of other processes look for work themselves. */
  readonly wakeBatches: () => void;
  readonly wakeCallbacks: () => void;
  /** Whether requests can be served at the moment. */
  readonly isReady: () => boolean;
  /** Why they cannot. */
  readonly trouble: () => Outage;
  /** Whether it is certain that no mail server can be reached. */
  readonly isPortClosed: () => boolean;
  /** The lists of live verification. None without the section `live`. */
  readonly lists: () => readonly ListReport[];
}

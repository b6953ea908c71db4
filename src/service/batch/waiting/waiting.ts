/** Explains to an owner what the open addresses of a batch wait for. */
import type { Db } from '../../database/schema.ts';
import { type Pause, readPauses } from '../../verify/pacing/pacing-store.ts';
import {
  type BatchSummary,
  type OpenAddresses,
  readOpenAddresses,
} from '../overview/batch-overview-store.ts';
import { countByOrganisation, organisationName } from './organisations.ts';
import { areOthersOpen, readKnownServers, readOpenDomains } from './waiting-store.ts';

/** How soon the workers notice a new or resumed batch. Until then, the batch does not count as waiting. */
const SOON_MS = 5_000;
const MOST_ORGANISATIONS = 5;

export type WaitingReason =
  /** Until its owner resumes it. */
  | { readonly kind: 'paused'; readonly since: Date }
  /** The service cannot reach mail servers. */
  | { readonly kind: 'port closed' }
  /** The servers of an organisation have asked the service to slow down. */
  | { readonly kind: 'slow down'; readonly who: string; readonly until: Date; readonly addresses: number }
  /** Their servers gave a temporary answer. */
  | {
      readonly kind: 'retry';
      readonly addresses: number;
      readonly first: Date;
      readonly last: Date;
      /** Those with the most addresses come first. */
      readonly domains: readonly string[];
    }
  /** No process has claimed any of it. */
  | { readonly kind: 'behind others' }
  /** A process will claim it within seconds. */
  | { readonly kind: 'beginning' }
  /** Processes have claimed these: they are being verified, or wait for a reply or for their turn at a server. */
  | { readonly kind: 'being verified'; readonly addresses: number };

export interface Waiting {
  readonly reasons: readonly WaitingReason[];
  /** How many addresses wait for a retry. */
  readonly later: number;
  readonly lastRetry: Date | null;
}

export type WaitingBatch = Pick<BatchSummary, 'id' | 'mode' | 'created_at' | 'resumed_at' | 'paused_at'>;

/** @param batch one that is not completed */
export async function readWaiting(
  db: Db,
  batch: WaitingBatch,
  isPortClosed: boolean,
  now: Date,
): Promise<Waiting> {
  const open = await readOpenAddresses(db, batch.id);
  const { later, first_due_at, last_due_at } = open;
  const reasons: WaitingReason[] = [];
  if (batch.paused_at) reasons.push({ kind: 'paused', since: batch.paused_at });
  else if (batch.mode === 'live' && isPortClosed) reasons.push({ kind: 'port closed' });
  else {
    const slowDowns = await readSlowDowns(db, batch);
    reasons.push(...(slowDowns.length > 0 ? slowDowns : await readQueue(db, batch, open, now)));
  }
  if (later > 0) {
    const domains = (await readOpenDomains(db, batch.id, true)).map(({ domain }) => domain);
    reasons.push({ kind: 'retry', addresses: later, first: first_due_at!, last: last_due_at!, domains });
  }
  return { reasons, later, lastRetry: last_due_at };
}

async function readSlowDowns(db: Db, { id, mode }: WaitingBatch): Promise<WaitingReason[]> {
  const pauses = mode === 'live' ? await readPauses(db) : [];
  if (pauses.length === 0) return [];
  const domains = await readOpenDomains(db, id, false);
  const names = domains.map(({ domain }) => domain);
  const counts = countByOrganisation(domains, await readKnownServers(db, id, names));
  const waitFor = ({ organisation, until }: Pause): WaitingReason[] => {
    const addresses = counts.get(organisation);
    return addresses ? [{ kind: 'slow down', who: organisationName(organisation), until, addresses }] : [];
  };
  return pauses.flatMap(waitFor).slice(0, MOST_ORGANISATIONS);
}

async function readQueue(
  db: Db,
  { id, mode, created_at, resumed_at }: WaitingBatch,
  { ready, claimed }: OpenAddresses,
  now: Date,
): Promise<WaitingReason[]> {
  const addresses = claimed.reduce((sum, claim) => sum + claim.addresses, 0);
  if (claimed.length > 0) return [{ kind: 'being verified', addresses }];
  if (ready === 0) return [];
  const isNew = now.getTime() - (resumed_at ?? created_at).getTime() < SOON_MS;
  const isBehind = mode === 'live' && !isNew && (await areOthersOpen(db, id));
  return [{ kind: isBehind ? 'behind others' : 'beginning' }];
}

/** The arithmetic of the model: from assumptions to conversations, connections, IP addresses and bytes. Pure. */
import type { Provider, Values } from './assumptions.ts';

const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;

/** Replies before the first recipient and after the last: greeting, EHLO, MAIL FROM, and QUIT. Each recipient has one. */
const FIXED_REPLIES = 4;

export interface Demand {
  readonly provider: Provider;
  /** Conversations per second in the busiest hour. */
  readonly verifications: number;
  /** Conversations of batches, with several addresses, and of single requests. */
  readonly batchConversations: number;
  readonly liveConversations: number;
  /** The duration of one conversation, in seconds. */
  readonly batchS: number;
  readonly liveS: number;
  /** Open connections on average, by Little's law: conversations per second, times their duration. */
  readonly openConnections: number;
  /** The IP addresses that the limits require. */
  readonly ipsByPace: number;
  readonly ipsByConnections: number;
  readonly ips: number;
  /** The used share of the IP addresses' limits. Above 1, the load is impossible. */
  readonly paceUsed: number;
  readonly connectionsUsed: number;
}

export interface Storage {
  readonly meanPerSecond: number;
  readonly peakPerSecond: number;
  /** Rows in a month: of the ledger, and of batches. */
  readonly ledgerRows: number;
  readonly batchRows: number;
  readonly walPerDay: number;
  readonly walAtPeak: number;
  /** Bytes of batches at any time, and of the ledger in each month. */
  readonly batchesKept: number;
  readonly ledgerPerMonth: number;
}

/** The load on one provider. */
export function demandOf(provider: Provider, values: Values): Demand {
  const { batchShare, replyMs, repeatShare, ipAddresses } = values;
  const verifications = (values.verificationsPerMonth / MONTH_S) * values.peak * provider.share;
  const recipients = Math.min(provider.recipients ?? values.recipients, values.recipients);
  const lasts = (addresses: number) => ((FIXED_REPLIES + addresses) * replyMs) / 1_000;
  const batchConversations = ((verifications * batchShare) / recipients) * (1 + repeatShare);
  const liveConversations = verifications * (1 - batchShare) * (1 + repeatShare);
  const batchS = lasts(recipients);
  const liveS = lasts(1);
  const openConnections = batchConversations * batchS + liveConversations * liveS;
  // The limits are those of each organisation.
  const perMinute = ((batchConversations + liveConversations) * 60) / provider.organisations;
  const open = openConnections / provider.organisations;
  const ipsByPace = Math.ceil(perMinute / values.perMinutePerIp);
  const ipsByConnections = Math.ceil(open / values.connectionsPerIp);
  return {
    ...{ provider, verifications, batchConversations, liveConversations, batchS, liveS, openConnections },
    ...{ ipsByPace, ipsByConnections, ips: Math.max(ipsByPace, ipsByConnections) },
    paceUsed: perMinute / (values.perMinutePerIp * ipAddresses),
    connectionsUsed: open / (values.connectionsPerIp * ipAddresses),
  };
}

/** The load on all databases together. */
export function storageOf(values: Values): Storage {
  const { verificationsPerMonth, batchShare, peak } = values;
  const live = verificationsPerMonth * (1 - batchShare);
  const rows = verificationsPerMonth * batchShare;
  const wal = live * values.walOfLive + rows * values.walOfRow;
  return {
    meanPerSecond: verificationsPerMonth / MONTH_S,
    peakPerSecond: (verificationsPerMonth / MONTH_S) * peak,
    ledgerRows: live,
    batchRows: rows,
    walPerDay: wal / 30,
    walAtPeak: (wal / MONTH_S) * peak,
    batchesKept: rows * values.storedOfRow * (values.retentionDays / 30),
    ledgerPerMonth: live * values.storedOfLive,
  };
}

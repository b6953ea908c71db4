/** The assumptions of the model. Every figure has its unit and its source. */

export interface Assumption {
  readonly value: number;
  readonly unit: string;
  /** Its meaning. */
  readonly what: string;
  /** Its source: a file of this project, a public document, or "assumed". */
  readonly source: string;
}

const ASSUMED = 'assumed';
const MEASURED = 'an earlier run of `npm run bench:load`';
const one = (value: number, unit: string, what: string, source = ASSUMED): Assumption => ({
  ...{ value, unit, what, source },
});

/** The names are the options of `npm run simulate`, such as `--verifications-per-month`. */
export const ASSUMPTIONS = {
  verificationsPerMonth: one(1_000_000_000, 'verifications', 'addresses to verify in 30 days'),
  peak: one(3, 'times', 'the busiest hour, as a multiple of the mean'),
  batchShare: one(0.9, 'of all', 'verifications in batches. The others are single requests'),
  ipAddresses: one(
    256,
    'IP addresses',
    'IP addresses that connect to mail servers, in all deployments together',
  ),
  replyMs: one(150, 'ms', 'the time until a mail server replies to a command, with the network'),
  repeatShare: one(0.05, 'of conversations', 'conversations that are repeated, mostly after greylisting'),
  connectionsPerIp: one(
    2,
    'connections',
    'simultaneous conversations with one provider from one IP address',
    'default of live.perHost.connections (src/engine/options.ts)',
  ),
  perMinutePerIp: one(
    60,
    'conversations',
    'conversations that one IP address starts with one provider in a minute',
    'default of live.perHost.perMinute (src/engine/options.ts)',
  ),
  recipients: one(
    20,
    'addresses',
    'addresses that a batch verifies in one conversation',
    'default of live.perHost.recipientsPerConnection (src/engine/options.ts)',
  ),
  walOfLive: one(1_700, 'bytes', "what a live verification writes to PostgreSQL's log", MEASURED),
  walOfRow: one(3_500, 'bytes', "what an address of a batch writes to PostgreSQL's log", MEASURED),
  storedOfLive: one(
    390,
    'bytes',
    'what the database keeps of a live verification: its rows of the ledger',
    MEASURED,
  ),
  storedOfRow: one(
    830,
    'bytes',
    'what the database keeps of an address of a batch until its retention is over',
    MEASURED,
  ),
  retentionDays: one(
    30,
    'days',
    'how long the database keeps the results of batches',
    'default of durations.inlineResults',
  ),
} as const satisfies Record<string, Assumption>;

export type AssumptionName = keyof typeof ASSUMPTIONS;
export type Values = Readonly<Record<AssumptionName, number>>;

export const DEFAULTS = Object.fromEntries(
  Object.entries(ASSUMPTIONS).map(([name, { value }]) => [name, value]),
) as Values;

export interface Provider {
  readonly name: string;
  /** Its share of all addresses. All shares together are 1. */
  readonly share: number;
  /** The number of organisations in this group. Each has its own limits. */
  readonly organisations: number;
  /** The largest number of addresses in one conversation, if it is lower than for others. */
  readonly recipients?: number;
  readonly source: string;
}

const SHARES = 'share assumed: consumers, mostly in North America and Europe';
const TABLE = 'src/engine/provider-table.ts';

export const PROVIDERS: readonly Provider[] = [
  { name: 'Google', share: 0.45, organisations: 1, source: SHARES },
  {
    name: 'Microsoft',
    share: 0.2,
    organisations: 1,
    recipients: 5,
    source: `${SHARES}. Recipients: ${TABLE}`,
  },
  { name: 'Yahoo', share: 0.1, organisations: 1, source: SHARES },
  { name: 'Apple', share: 0.04, organisations: 1, source: SHARES },
  { name: 'all others', share: 0.21, organisations: 50_000, source: `${SHARES}. Organisations assumed` },
];

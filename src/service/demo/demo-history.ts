/**
 * A week of sample history for the demo account, so that its dashboard is not empty. The data is made up, without
 * asking mail servers, and all names begin with "Sample". It ends the day before the account is created.
 */
import type { Reason } from '../../protocol/result.ts';

const DAYS = 7;
export const DAY_MS = 24 * 60 * 60 * 1000;

/** The number of single verifications on each day, oldest first. */
const VERIFICATIONS_BY_DAY = [42, 61, 38, 74, 55, 18, 24];

/** How often each reason comes in 100 results. */
const REASONS: readonly (readonly [Reason, number])[] = [
  ['accepted_email', 70],
  ['rejected_email', 11],
  ['low_deliverability', 6],
  ['invalid_domain', 4],
  ['low_quality', 3],
  ['timeout', 2],
  ['unavailable_smtp', 2],
  ['invalid_email', 1],
  ['no_connect', 1],
];
const IN_ORDER = REASONS.flatMap(([reason, share]) => Array<Reason>(share).fill(reason));
const UNKNOWN: readonly Reason[] = ['no_connect', 'timeout', 'unavailable_smtp', 'unexpected_error'];

/** A single verification of the past. */
export interface SampleVerification {
  readonly at: Date;
  readonly reason: Reason;
  /** Unknown results cost nothing. */
  readonly isRefunded: boolean;
}

/** @param end midnight before the day on which the account is created */
export function sampleVerifications(end: Date): SampleVerification[] {
  return VERIFICATIONS_BY_DAY.flatMap((count, day) =>
    Array.from({ length: count }, (_, number) => {
      // 37 and 100 have no common divisor, so every reason comes as often as it should.
      const reason = IN_ORDER[(37 * (number + 13 * day)) % IN_ORDER.length]!;
      const at = new Date(end.getTime() - (DAYS - day) * DAY_MS + ((number + 1) / (count + 1)) * DAY_MS);
      return { at, reason, isRefunded: UNKNOWN.includes(reason) };
    }),
  );
}

/** A list of the past, with the columns of its file. */
export interface SampleList {
  readonly name: string;
  readonly header: readonly string[];
  readonly addressColumn: number;
  readonly rows: readonly (readonly string[])[];
  /** How long before the end it was uploaded. */
  readonly ageMs: number;
  /** How many of its addresses have a result. The batch is paused if some have none. */
  readonly verified: number;
  /** The URL of a callback that failed. */
  readonly url: string | null;
}

const FIRST = ['Ada', 'Ben', 'Chidi', 'Dana', 'Elif', 'Femi', 'Grace', 'Hugo', 'Ines', 'Jun', 'Kofi', 'Lena'];
const LAST = ['Adler', 'Baker', 'Costa', 'Diaz', 'Endo', 'Fischer', 'Green', 'Haddad', 'Ito', 'Jansen'];
/** Reserved for examples, so the addresses of the lists do not belong to real people (RFC 2606). */
const DOMAINS = ['example.com', 'example.org', 'example.net', 'mail.example.com', 'shop.example.org'];

/** @returns the person with this number, with a unique address */
function person(number: number): { name: string; address: string } {
  const first = FIRST[number % FIRST.length]!;
  const last = LAST[Math.floor(number / FIRST.length) % LAST.length]!;
  const round = Math.floor(number / (FIRST.length * LAST.length));
  const local = `${first}.${last}${round === 0 ? '' : round}`.toLowerCase();
  return { name: `${first} ${last}`, address: `${local}@${DOMAINS[number % DOMAINS.length]}` };
}

/** The faulty rows that real lists also have. */
const ODD = [
  ['Reception', 'info@example.com'],
  ['Robot', 'no-reply@example.org'],
  ['Typing error', 'ada.adler@gmail.con'],
  ['Throwaway', 'sample@mailinator.com'],
  ['No address', ''],
  ['Not an address', 'ask at the desk'],
  ['Twice', 'ada.adler@example.com'],
] as const;

export const SAMPLE_LISTS: readonly SampleList[] = [
  {
    name: 'Sample: newsletter.csv',
    header: ['Name', 'Email', 'Since'],
    addressColumn: 1,
    rows: [
      ...Array.from({ length: 120 }, (_, number) => {
        const { name, address } = person(number);
        return [name, address, `20${15 + (number % 10)}`];
      }),
      ...ODD.map(([name, address]) => [name, address, '2024']),
    ],
    ageMs: 4.4 * DAY_MS,
    verified: Number.POSITIVE_INFINITY,
    url: null,
  },
  {
    name: 'Sample: conference.xlsx',
    header: ['Badge', 'Participant', 'Company', 'E-mail'],
    addressColumn: 3,
    rows: Array.from({ length: 60 }, (_, number) => {
      const { name, address } = person(200 + number);
      return [String(1000 + number), name, `Company ${1 + (number % 9)}`, address];
    }),
    ageMs: 2.6 * DAY_MS,
    verified: Number.POSITIVE_INFINITY,
    url: 'https://hooks.example.com/sample',
  },
  {
    name: 'Sample: old customers.txt',
    header: ['Email'],
    addressColumn: 0,
    rows: Array.from({ length: 300 }, (_, number) => [person(400 + number).address]),
    ageMs: 0.3 * DAY_MS,
    verified: 90,
    url: null,
  },
];

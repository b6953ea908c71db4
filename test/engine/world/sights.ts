/** What there is to see in the world of `npm run world`: one address for every line of the engine's table. */
import type { Reason } from '../../../src/protocol/result.ts';
import { close, flood, silence, wait } from './acts.ts';
import type { Zone } from './dns-zone.ts';
import type { MailScript } from './mail-script.ts';

export interface Sight {
  readonly address: string;
  /** What happens to it. */
  readonly what: string;
  /** The flags that `check` needs to show it. */
  readonly flags?: string;
  readonly reason: Reason;
}

/** The time in which a silent server is given up, in the commands that are printed. */
const SHORT = '--timeout 2';

const MAILBOXES = ['ada', 'support', 'no-reply'].map((name) => `${name}@accepted.world.test`);

/** Has every mailbox, and refuses what looks like the impossible address. */
const EXACT: MailScript = {
  rcpt: (recipient) => (/^[a-z]+\.[a-z]+\d\d@/.test(recipient) ? '550 5.1.1 User unknown' : '250 2.1.5 OK'),
};

/**
 * Mail servers, by the domain that `startWorld` makes for each. To pacing, each is an organisation of its own, so that a
 * pause for one holds up no other.
 */
export const SERVERS: Readonly<Record<string, MailScript>> = {
  'accepted.test': { mailboxes: MAILBOXES, starttls: 'offered' },
  'free.test': EXACT,
  'disposable.test': EXACT,
  'accept-all.test': { catchAll: true },
  'full.test': { rcpt: '452 4.2.2 The mailbox is full' },
  'full-552.test': {
    mailboxes: ['ada@full-552.world.test'],
    rcpt: (recipient) => (recipient.startsWith('ada@') ? '552 5.2.2 Mailbox full' : '550 5.1.1 User unknown'),
  },
  // As Yahoo: the truth comes after DATA, which the engine never sends.
  'late-truth.test': { catchAll: true, data: '554 5.7.1 No such user' },
  'blocked.test': {
    rcpt: '550 5.7.1 Service unavailable, client host [127.0.0.1] blocked using zen.spamhaus.org',
  },
  'greylisted.test': { greylist: true },
  'greylisted-names.test': { greylist: 'mailboxes', mailboxes: ['ada@greylisted-names.world.test'] },
  'busy.test': { rcpt: '451 4.3.0 Temporary server error. Please try again later' },
  'unsaid.test': { rcpt: '550 Requested action not taken' },
  'unwelcome.test': { banner: ['554 5.7.1 No SMTP service here for your network', close] },
  'sender-refused.test': { mail: '550 5.1.8 Sender address rejected: Domain not found' },
  'closing.test': { rcpt: close },
  // As iCloud: the refusal of our IP address comes late, and is about the command before.
  'late-refusal.test': { rcpt: '503 5.5.1 Error: need MAIL command' },
  'silent.test': { rcpt: silence },
  'mute.test': { banner: silence },
  'slow.test': { ...EXACT, banner: [wait(1500), '220 mx.slow.test ESMTP'] },
  'flooding.test': { rcpt: flood(1_000_000, true) },
  'not-smtp.test': { banner: ['HTTP/1.1 400 Bad Request\n', close] },
};

/** Loopback has it, and nobody listens there. */
const NOBODY = '127.0.9.9';

/** The domains that addresses are at. Each server's is there twice: `accepted.world.test` is at `mx.accepted.test`. */
export function namesOf(ipOf: (domain: string) => string): Zone {
  const own = Object.keys(SERVERS).map((domain) => [
    domain.replace(/test$/, 'world.test'),
    { MX: [[10, `mx.${domain}`]] },
  ]);
  return {
    ...Object.fromEntries(own),
    // A provider that is known to accept every address.
    'yahoo.world.test': { MX: [[10, 'mta.world.yahoodns.net']] },
    'mta.world.yahoodns.net': { A: [ipOf('accept-all.test')] },
    // Abusers' domains, whose servers are on lists.
    'disposable-mx.world.test': { MX: [[10, 'mx.minutes.test']] },
    'mx.minutes.test': { A: [ipOf('free.test')] },
    'block-mx.world.test': { MX: [[10, 'mx.abuse.test']] },
    'mx.abuse.test': { A: [ipOf('free.test')] },
    'no-mx.world.test': { A: [ipOf('free.test')] },
    'null-mx.world.test': { MX: [[0, '.']] },
    'unreachable.world.test': { MX: [[10, 'mx.unreachable.test']] },
    'mx.unreachable.test': { A: [NOBODY] },
    'servfail.world.test': { trouble: 'SERVFAIL' },
    'silent-dns.world.test': { trouble: 'silent' },
  };
}

/** The operator's lists, by file. */
export const LISTS: Readonly<Record<string, string>> = {
  free: 'free.world.test',
  disposable: 'disposable.world.test',
  block: 'on-the-block-list.world.test',
  'disposable-mx': 'minutes.test',
  'block-mx': 'mx.abuse.test',
};

export const SIGHTS: readonly Sight[] = [
  { address: 'ada@accepted.world.test', what: 'accepted', reason: 'accepted_email' },
  { address: 'ada@free.world.test', what: 'accepted, free provider', reason: 'accepted_email' },
  { address: 'support@accepted.world.test', what: 'accepted, role', reason: 'accepted_email' },
  { address: 'ada@no-mx.world.test', what: 'accepted, no MX record', reason: 'accepted_email' },
  { address: 'ada@slow.world.test', what: 'accepted, slow banner', reason: 'accepted_email' },
  { address: 'ada@disposable.world.test', what: 'accepted, disposable', reason: 'low_quality' },
  {
    address: 'ada@disposable-mx.world.test',
    what: 'mail server in disposable-mx.txt',
    reason: 'low_quality',
  },
  { address: 'no-reply@accepted.world.test', what: 'accepted, no-reply', reason: 'low_quality' },
  {
    address: 'ada@accept-all.world.test',
    what: 'accept-all, asked for',
    flags: '--accept-all',
    reason: 'low_deliverability',
  },
  { address: 'ada@yahoo.world.test', what: 'provider accepts everything', reason: 'low_deliverability' },
  { address: 'ada@full.world.test', what: 'full mailbox', reason: 'low_deliverability' },
  { address: 'ada@full-552.world.test', what: 'full mailbox, by a 552', reason: 'low_deliverability' },
  {
    address: 'ada@late-truth.world.test',
    what: 'accepts every name, and refuses after DATA',
    flags: '--accept-all',
    reason: 'low_deliverability',
  },
  {
    address: 'bo@accepted.world.test',
    what: 'mail server not asked',
    flags: '--no-smtp',
    reason: 'low_deliverability',
  },
  { address: 'nobody@accepted.world.test', what: 'unknown mailbox', reason: 'rejected_email' },
  { address: 'ada@@accepted.world.test', what: 'not an address', reason: 'invalid_email' },
  { address: 'ada@nowhere.world.test', what: 'no such domain', reason: 'invalid_domain' },
  { address: 'ada@null-mx.world.test', what: 'null MX', reason: 'invalid_domain' },
  { address: 'ada@on-the-block-list.world.test', what: 'in block.txt', reason: 'invalid_domain' },
  { address: 'ada@block-mx.world.test', what: 'mail server in block-mx.txt', reason: 'invalid_domain' },
  { address: 'ada@not-smtp.world.test', what: 'server speaks HTTP', reason: 'invalid_smtp' },
  { address: 'jürgen@accepted.world.test', what: 'server without SMTPUTF8', reason: 'invalid_smtp' },
  { address: 'ada@blocked.world.test', what: 'our IP address is blocked', reason: 'unavailable_smtp' },
  {
    address: 'ada@greylisted.world.test',
    what: 'greylisted, accepted when asked again',
    reason: 'unavailable_smtp',
  },
  {
    address: 'ada@greylisted-names.world.test',
    what: 'greylisted, unlike names that do not exist',
    reason: 'unavailable_smtp',
  },
  {
    address: 'nobody@greylisted-names.world.test',
    what: 'unknown mailbox, never greylisted',
    reason: 'rejected_email',
  },
  { address: 'ada@busy.world.test', what: 'temporary refusal', reason: 'unavailable_smtp' },
  { address: 'ada@unsaid.world.test', what: 'refusal without a reason', reason: 'unavailable_smtp' },
  { address: 'ada@unwelcome.world.test', what: 'connection refused by banner', reason: 'unavailable_smtp' },
  { address: 'ada@sender-refused.world.test', what: 'sender refused', reason: 'unavailable_smtp' },
  { address: 'ada@closing.world.test', what: 'connection closed', reason: 'unavailable_smtp' },
  { address: 'ada@late-refusal.world.test', what: 'refused late', reason: 'unavailable_smtp' },
  { address: 'ada@unreachable.world.test', what: 'no server listens', reason: 'no_connect' },
  { address: 'ada@silent.world.test', what: 'silent after RCPT', flags: SHORT, reason: 'timeout' },
  { address: 'ada@mute.world.test', what: 'no banner', flags: SHORT, reason: 'no_connect' },
  { address: 'ada@silent-dns.world.test', what: 'DNS does not answer', flags: SHORT, reason: 'timeout' },
  { address: 'ada@servfail.world.test', what: 'DNS fails', reason: 'unexpected_error' },
  { address: 'ada@flooding.world.test', what: 'endless reply', reason: 'unexpected_error' },
];

/** The mailboxes of a survey: one at each domain with a mail server of its own. */
export const MAILBOXES_OF_SURVEY: readonly string[] = [
  ...Object.keys(SERVERS).map((domain) => `ada@${domain.replace(/test$/, 'world.test')}`),
  'ada@yahoo.world.test',
].map((address) => (address.startsWith('ada@full') ? `${address},full` : address));

/** Where most addresses of a list are: domains that answer at once, and one that has to be asked again. */
const COMMON = ['free', 'accepted', 'accept-all', 'disposable', 'full', 'greylisted'];

/**
 * A list as customers send it: the sights, some addresses twice, one that a spreadsheet takes for a formula, and many
 * ordinary ones. Silent servers are left out: a batch waits half a minute for each, three times.
 *
 * @param count how many lines it has, 100 at least
 */
export function listOf(count: number): string[] {
  const sights = SIGHTS.filter(({ flags }) => flags !== SHORT).map(({ address }) => address);
  const again = sights.slice(0, 5).map((address) => address.toUpperCase());
  const odd = [...sights, ...again, '=1+1@free.world.test'];
  const ordinary = Array.from({ length: count - odd.length }, (_, index) => {
    return `person.${index}@${COMMON[index % COMMON.length]}.world.test`;
  });
  return [...odd, ...ordinary];
}

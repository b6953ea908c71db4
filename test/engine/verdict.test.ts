/** The engine's table, line by line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Meaning } from '../../src/engine/replies/reply.ts';
import { type Ending, judge, type Known, NOTHING_KNOWN } from '../../src/engine/verdict.ts';
import { REASONS } from '../../src/protocol/result.ts';

const answered = (meaning: Meaning, acceptsAll: boolean | null = null): Ending => ({
  kind: 'answered',
  reading: { meaning, rule: 'a rule', slowDown: false },
  acceptsAll,
});
const judgeWith = (ending: Ending, known: Partial<Known> = {}) =>
  judge(ending, { ...NOTHING_KNOWN, ...known });

it.each<[string, Ending, string, string]>([
  ['an address without a valid form', { kind: 'invalid-address' }, 'invalid_email', 'undeliverable'],
  ['a domain that takes no mail', { kind: 'nowhere' }, 'invalid_domain', 'undeliverable'],
  ['a server that speaks no SMTP', { kind: 'not-smtp' }, 'invalid_smtp', 'undeliverable'],
  ['a server without SMTPUTF8', { kind: 'no-smtputf8' }, 'invalid_smtp', 'undeliverable'],
  ['a server that may have SMTPUTF8', { kind: 'smtputf8-unknown' }, 'unavailable_smtp', 'unknown'],
  ['an unsupported address', answered('unsupported-address'), 'invalid_smtp', 'undeliverable'],
  ['no such mailbox', answered('no-such-mailbox'), 'rejected_email', 'undeliverable'],
  ['an accepted address', answered('accepted'), 'accepted_email', 'deliverable'],
  ['a full mailbox', answered('mailbox-full'), 'low_deliverability', 'risky'],
  ['a server that is not asked', { kind: 'not-asked' }, 'low_deliverability', 'risky'],
  ['a server that cannot be reached', { kind: 'unreachable' }, 'no_connect', 'unknown'],
  ['a refused banner', { kind: 'not-welcome', slowDown: false }, 'unavailable_smtp', 'unknown'],
  ['a refused sender', { kind: 'sender-refused', slowDown: false }, 'unavailable_smtp', 'unknown'],
  ['a refusal that is about us', answered('about-us'), 'unavailable_smtp', 'unknown'],
  ['a temporary refusal', answered('temporary'), 'unavailable_smtp', 'unknown'],
  ['a refusal without a reason', answered('refused'), 'unavailable_smtp', 'unknown'],
  ['a closed connection', { kind: 'closed' }, 'unavailable_smtp', 'unknown'],
  ['a conversation held back', { kind: 'held-back', why: 'paused' }, 'unavailable_smtp', 'unknown'],
  ['a fact that is awaited', { kind: 'fact-awaited' }, 'unavailable_smtp', 'unknown'],
  ['a probe that is held back', { kind: 'probe-held-back' }, 'unavailable_smtp', 'unknown'],
  ['silence', { kind: 'silent' }, 'timeout', 'unknown'],
  ['silence during the greeting', { kind: 'mute' }, 'timeout', 'unknown'],
  ['a silent DNS', { kind: 'dns-silent' }, 'timeout', 'unknown'],
  ['no time for any host', { kind: 'out-of-time' }, 'timeout', 'unknown'],
  ['a DNS that cannot say', { kind: 'dns-failed' }, 'unexpected_error', 'unknown'],
  ['a flood', { kind: 'flood' }, 'unexpected_error', 'unknown'],
  ['a fault of our own', { kind: 'fault' }, 'unexpected_error', 'unknown'],
])('calls %s by its reason', (_, ending, reason, state) => {
  expect(judgeWith(ending)).toMatchObject({ reason, state });
});

describe('an accepted address', () => {
  it.each<[string, Partial<Known>, boolean | null, object]>([
    ['of a company', {}, null, { reason: 'accepted_email', score: 100 }],
    ['of a free provider', { isFree: true }, null, { reason: 'accepted_email', score: 95 }],
    ['of a task', { isRole: true }, null, { reason: 'accepted_email', score: 90 }],
    [
      'of a task at a free provider',
      { isRole: true, isFree: true },
      null,
      { reason: 'accepted_email', score: 85 },
    ],
    ['that is thrown away', { isDisposable: true }, null, { reason: 'low_quality' }],
    ['that nobody reads', { isNoReply: true, isRole: true }, null, { reason: 'low_quality' }],
    [
      'at a server that accepts all',
      { wantsAcceptAll: true },
      true,
      { reason: 'low_deliverability', acceptAll: true, score: 70 },
    ],
    [
      'of a task, at a server that accepts all',
      { wantsAcceptAll: true, isRole: true },
      true,
      { reason: 'low_deliverability' },
    ],
    [
      'at a server that does not',
      { wantsAcceptAll: true },
      false,
      { reason: 'accepted_email', acceptAll: false, score: 100 },
    ],
    [
      'when that was not found out',
      { wantsAcceptAll: true },
      null,
      { reason: 'accepted_email', acceptAll: null },
    ],
    ['of Yahoo', { providerAcceptsAll: true }, null, { reason: 'low_deliverability', acceptAll: null }],
    [
      'of Yahoo, with accept-all asked for',
      { providerAcceptsAll: true, wantsAcceptAll: true },
      null,
      { reason: 'low_deliverability', acceptAll: true },
    ],
    [
      'at a domain that is known to accept all',
      { knownAcceptAll: true },
      null,
      { reason: 'low_deliverability', acceptAll: null, score: 70 },
    ],
    [
      'at a domain that is known to accept all, with accept-all asked for',
      { knownAcceptAll: true, wantsAcceptAll: true },
      null,
      { reason: 'low_deliverability', acceptAll: true },
    ],
    [
      'at a domain that is known to refuse others',
      { knownAcceptAll: false, wantsAcceptAll: true },
      null,
      { reason: 'accepted_email', acceptAll: false, score: 100 },
    ],
    [
      'at a domain that has changed to accept all',
      { knownAcceptAll: false, wantsAcceptAll: true },
      true,
      { reason: 'low_deliverability', acceptAll: true },
    ],
    [
      'of Proofpoint',
      { providerMayAcceptAll: true, wantsAcceptAll: true },
      null,
      { reason: 'low_deliverability', acceptAll: null, score: 70 },
    ],
    [
      'of Proofpoint, which refuses others',
      { providerMayAcceptAll: true },
      false,
      { reason: 'accepted_email', acceptAll: null, score: 100 },
    ],
    [
      'of Proofpoint, where the domain is known to refuse others',
      { providerMayAcceptAll: true, knownAcceptAll: false },
      null,
      { reason: 'accepted_email', score: 100 },
    ],
    [
      'of Proofpoint, which accepts all',
      { providerMayAcceptAll: true },
      true,
      { reason: 'low_deliverability', acceptAll: null },
    ],
    [
      'of Proofpoint, that is thrown away',
      { providerMayAcceptAll: true, isDisposable: true },
      null,
      { reason: 'low_deliverability', score: 30 },
    ],
  ])('%s gets its line', (_, known, acceptsAll, expected) => {
    expect(judgeWith(answered('accepted', acceptsAll), known)).toMatchObject(expected);
  });
});

it.each<[string, Ending, Partial<Known>, number]>([
  ['no server was asked', { kind: 'not-asked' }, {}, 70],
  ['no server was asked', { kind: 'not-asked' }, { isFree: true }, 65],
  ['no server was asked', { kind: 'not-asked' }, { isRole: true }, 65],
  ['no server was asked', { kind: 'not-asked' }, { isNoReply: true }, 55],
  ['no server was asked', { kind: 'not-asked' }, { isDisposable: true }, 30],
  [
    'no server was asked',
    { kind: 'not-asked' },
    { isDisposable: true, isNoReply: true, isRole: true, isFree: true },
    5,
  ],
  ['the server accepts every address', answered('accepted', true), { isFree: true }, 65],
  [
    'the provider is known to accept every address',
    answered('accepted'),
    { providerAcceptsAll: true, isFree: true },
    65,
  ],
  ['the domain is known to accept every address', answered('accepted'), { knownAcceptAll: true }, 70],
  [
    'the provider may accept every address',
    answered('accepted'),
    { providerMayAcceptAll: true, knownAcceptAll: null },
    70,
  ],
  [
    'the provider may accept every address',
    answered('accepted'),
    { providerMayAcceptAll: true, isFree: true },
    65,
  ],
  ['accepted, and the domain is disposable', answered('accepted'), { isDisposable: true }, 20],
  ['accepted, a no-reply address', answered('accepted'), { isNoReply: true }, 40],
  ['accepted, a role address', answered('accepted'), { isRole: true }, 90],
  ['accepted', answered('accepted'), {}, 100],
  ['the mailbox is full', answered('mailbox-full'), {}, 25],
])('decides by the line "%s"', (rule, ending, known, score) => {
  expect(judgeWith(ending, known)).toMatchObject({ rule, score });
});

it('marks only a full mailbox as full', () => {
  expect(judgeWith(answered('mailbox-full')).mailboxFull).toBe(true);
  expect(judgeWith(answered('no-such-mailbox')).mailboxFull).toBe(false);
});

it('reports accept-all only on request', () => {
  expect(judgeWith(answered('accepted', true)).acceptAll).toBeNull();
  expect(judgeWith(answered('no-such-mailbox'), { wantsAcceptAll: true }).acceptAll).toBeNull();
  expect(judgeWith(answered('temporary', true), { wantsAcceptAll: true }).acceptAll).toBeNull();
});

const known = fc.record({
  isDisposable: fc.boolean(),
  isFree: fc.boolean(),
  isRole: fc.boolean(),
  isNoReply: fc.boolean(),
  providerAcceptsAll: fc.boolean(),
  providerMayAcceptAll: fc.boolean(),
  knownAcceptAll: fc.constantFrom(true, false, null),
  wantsAcceptAll: fc.boolean(),
});
const MEANINGS: readonly Meaning[] = [
  'accepted',
  'no-such-mailbox',
  'mailbox-full',
  'unsupported-address',
  'about-us',
  'temporary',
  'refused',
];
const BANDS = { deliverable: [80, 100], risky: [1, 79], undeliverable: [0, 0], unknown: [50, 50] };
const KINDS = [
  'invalid-address',
  'nowhere',
  'dns-failed',
  'dns-silent',
  'not-asked',
  'out-of-time',
  'fault',
] as const;
const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.constantFrom(...KINDS).map((kind) => ({ kind })),
  fc
    .constantFrom('unreachable', 'no-smtputf8', 'not-smtp', 'closed', 'flood', 'silent', 'mute')
    .map((kind) => ({ kind }) as Ending),
  fc
    .tuple(fc.constantFrom(...MEANINGS), fc.constantFrom(true, false, null))
    .map(([meaning, all]) => answered(meaning, all)),
);

it('keeps every score within the band of its state', () => {
  fc.assert(
    fc.property(ending, known, (what, about) => {
      const { score, state, reason } = judge(what, about);
      const [low, high] = BANDS[state];
      expect(REASONS).toContain(reason);
      expect(score).toBeGreaterThanOrEqual(low!);
      expect(score).toBeLessThanOrEqual(high!);
    }),
  );
});

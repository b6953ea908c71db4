import { describe, expect, it } from 'vitest';
import { createFacts } from '../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../src/engine/facts/lists.ts';
import {
  REASONS,
  type Reason,
  STATES,
  type State,
  type VerificationResult,
} from '../../src/protocol/result.ts';
import { createSampleVerifier } from '../../src/sample/sample-verifier.ts';
import { drawReason } from '../../src/sample/sampled-reason.ts';

const lists = loadPublishedLists();
const sampleVerifier = createSampleVerifier(createFacts(lists));

const verify = async (
  address: string,
  acceptAll = false,
  verifier = sampleVerifier,
): Promise<VerificationResult> => {
  const { result } = await verifier({ address, smtp: true, acceptAll, timeoutMs: 5000 });
  if (!result) throw new Error(`no result for ${address}`);
  return result;
};

const REASONS_OF_STATE: Record<State, Reason[]> = {
  deliverable: ['accepted_email'],
  undeliverable: ['invalid_email', 'invalid_domain', 'rejected_email', 'invalid_smtp'],
  risky: ['low_quality', 'low_deliverability'],
  unknown: ['no_connect', 'timeout', 'unavailable_smtp', 'unexpected_error'],
};

const SCORES: Record<State, [number, number]> = {
  deliverable: [80, 100],
  undeliverable: [0, 0],
  risky: [1, 79],
  unknown: [50, 50],
};

/** Drawn by each test for itself: mutation testing changes nothing before a test begins. */
const verifyMany = (length = 2000) =>
  Promise.all(Array.from({ length }, (_, index) => verify(`visitor${index}@company${index % 97}.example`)));

const count = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

describe('over many addresses', () => {
  it('gives each state and each reason to at least one address in fifty', async () => {
    const many = await verifyMany();
    const states = count(many.map(({ state }) => state));
    const reasons = count(many.map(({ reason }) => reason));
    expect(Object.keys(states).sort()).toEqual([...STATES].sort());
    // It is for what is not an address.
    const drawn = REASONS.filter((reason) => reason !== 'invalid_email');
    expect(Object.keys(reasons).sort()).toEqual(drawn.sort());
    expect(Math.min(...Object.values(states), ...Object.values(reasons))).toBeGreaterThanOrEqual(40);
  });

  it('gives each reason at least four of a hundred draws', () => {
    const reasons = Array.from({ length: 100 }, (_, drawn) => drawReason(() => drawn));
    expect(Object.values(count(reasons)).sort((a, b) => a - b)[0]).toBe(4);
    expect(() => drawReason(() => 100)).toThrow('the shares of the reasons do not add up to 100');
  });

  it('derives the state from the reason, and keeps the score in its band, at both ends too', async () => {
    const many = await verifyMany();
    for (const state of STATES) {
      const own = many.filter((result) => result.state === state);
      expect(REASONS_OF_STATE[state]).toEqual(
        expect.arrayContaining([...new Set(own.map(({ reason }) => reason))]),
      );
      const scores = own.map(({ score }) => score);
      expect([Math.min(...scores), Math.max(...scores)]).toEqual(SCORES[state]);
    }
  });

  it('names no mail server if none was contacted', async () => {
    const nobody: Reason[] = ['invalid_email', 'invalid_domain', 'unexpected_error'];
    const wrong = (await verifyMany(500)).filter(
      ({ reason, mx_record, smtp_provider, domain }) =>
        smtp_provider !== null || mx_record !== (nobody.includes(reason) ? '' : `mx.${domain}`),
    );
    expect(wrong).toEqual([]);
  });

  it('takes longest for a silent server, and hardly any time without one', async () => {
    const nobody: Reason[] = ['invalid_email', 'invalid_domain', 'unexpected_error'];
    const many = await verifyMany();
    const spent = (isOne: (reason: Reason) => boolean) => {
      const durations = many.filter(({ reason }) => isOne(reason)).map(({ duration }) => duration);
      return [Math.min(...durations), Math.max(...durations)];
    };
    expect(spent((reason) => nobody.includes(reason))).toEqual([0.001, 0.04]);
    expect(spent((reason) => reason === 'timeout')).toEqual([2, 2]);
    const [least = 0, most = 0] = spent((reason) => reason !== 'timeout' && !nobody.includes(reason));
    expect(least).toBeGreaterThanOrEqual(0.15);
    expect(least).toBeLessThan(0.2);
    expect(most).toBeGreaterThan(1.6);
    expect(most).toBeLessThan(1.65);
  });

  it('marks some addresses of low deliverability as full, and those of low quality without another cause', async () => {
    const many = await verifyMany();
    const full = many.filter(({ mailbox_full }) => mailbox_full);
    const low = many.filter(({ reason }) => reason === 'low_deliverability');
    const { low_deliverability, low_quality, ...others } = count(full.map(({ reason }) => reason));
    expect(others).toEqual({});
    expect(low_deliverability).toBeGreaterThan(10);
    expect(low_deliverability).toBeLessThan(low.length / 2);
    expect(low_quality).toBe(many.filter(({ reason }) => reason === 'low_quality').length);
  });

  it.each([
    ['no-reply', '@company'],
    ['visitor', '@box.mailinator'],
    ['support', '@company'],
  ])('explains each low quality of %s%s by the address', async (user, host) => {
    const many = await Promise.all(
      Array.from({ length: 300 }, (_, index) => verify(`${user}+${index}${host}.com`)),
    );
    const low = many.filter(({ reason }) => reason === 'low_quality');
    expect(low.length).toBeGreaterThan(5);
    expect(low.filter(({ mailbox_full }) => mailbox_full)).toEqual([]);
    expect(low.filter(({ disposable, no_reply, role }) => !disposable && !no_reply && !role)).toEqual([]);
    const isOfLittleUse = (one: VerificationResult) => one.disposable || one.no_reply;
    const accepted = many.filter(({ reason }) => reason === 'accepted_email');
    expect(accepted.filter(isOfLittleUse)).toEqual([]);
  });

  it('accepts no address of which it suggests another one', async () => {
    const many = await Promise.all(
      Array.from({ length: 200 }, (_, index) => verify(`visitor${index}@gmial.com`)),
    );
    expect(many.filter(({ did_you_mean }) => did_you_mean === null)).toEqual([]);
    expect(count(many.map(({ reason }) => reason)).accepted_email).toBeUndefined();
  });
});

it('gives an address the same result each time, whatever its case', async () => {
  expect(await verify('jane@company.example')).toEqual(await verify('jane@company.example'));
  const { state, reason, score } = await verify('jane@company.example');
  expect(await verify('Jane@Company.Example')).toMatchObject({ state, reason, score });
});

it('finds out whether a server accepts everything only on request', async () => {
  expect((await verify('jane@company.example')).accept_all).toBeNull();
  const asked = await Promise.all((await verifyMany(500)).map(({ email }) => verify(email, true)));
  const spoke: Reason[] = ['accepted_email', 'rejected_email', 'low_deliverability', 'low_quality'];
  const wrong = asked.filter(({ accept_all, reason, mailbox_full }) => {
    const takesAll = reason === 'low_deliverability' && !mailbox_full;
    return accept_all !== (spoke.includes(reason) ? takesAll : null);
  });
  expect(wrong).toEqual([]);
  expect(new Set(asked.map(({ accept_all }) => accept_all))).toEqual(new Set([true, false, null]));
});

describe('the facts about the address', () => {
  it.each<[string, Partial<VerificationResult>]>([
    [
      'jane.doe+news+more@gmail.com',
      { user: 'jane.doe', tag: 'news+more', domain: 'gmail.com', free: true, role: false },
    ],
    [
      'jane@company.example',
      { free: false, role: false, disposable: false, did_you_mean: null, tag: null, no_reply: false },
    ],
    ['jane+@company.example', { user: 'jane', tag: '' }],
    ['+jane@company.example', { user: '+jane', tag: null }],
    ['"jane+x"@company.example', { user: '"jane+x"', tag: null }],
    ['jane@mailinator.com', { disposable: true, free: false }],
    ['jane@box.mailinator.com', { disposable: true, free: false }],
    ['support+ticket@company.example', { role: true, no_reply: false }],
    ['No-Reply@company.example', { role: true, no_reply: true }],
    ['someone@gmial.com', { did_you_mean: 'someone@gmail.com', free: false }],
    [
      'jane.doe@company.example',
      { first_name: 'Jane', last_name: 'Doe', full_name: 'Jane Doe', gender: null },
    ],
    ['jdoe@company.example', { first_name: null, last_name: null, full_name: null }],
    ['jane@BÜCHER.example', { domain: 'BÜCHER.example' }],
  ])('%s', async (address, expected) => {
    expect(await verify(address)).toMatchObject({ email: address, ...expected });
  });

  it.each([
    'jane',
    '@',
    'jane@',
    '@company.example',
    'jane doe@company.example',
    'jane@company..example',
    '\u0000',
  ])('is not an address: %j', async (address) => {
    expect(await verify(address)).toMatchObject({
      state: 'undeliverable',
      reason: 'invalid_email',
      score: 0,
      mx_record: '',
      smtp_provider: null,
    });
  });

  it.each(['jane@company', 'jane@[192.0.2.1]', 'jane@192.0.2.1'])(
    'no public mail reaches %s',
    async (address) => {
      expect(await verify(address)).toMatchObject({
        state: 'undeliverable',
        reason: 'invalid_domain',
        mx_record: '',
      });
    },
  );

  it.each(['gmail.com', 'GMAIL.com', 'yahoo.co.uk', 't-online.de', 'gmx.de', 'proton.me'])(
    'accepts every well-formed address at %s, so that no visitor sees their own address rejected',
    async (domain) => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => verify(`visitor${index}@${domain}`)),
      );
      const outcomes = new Set(results.map(({ state, reason }) => `${state} ${reason}`));
      expect(outcomes).toEqual(new Set(['deliverable accepted_email']));
      expect(await verify(`two words@${domain}`)).toMatchObject({ reason: 'invalid_email' });
    },
  );

  it('accepts the address that it suggests', async () => {
    const { did_you_mean: suggestion } = await verify('alex@gmial.com');
    expect(suggestion).toBe('alex@gmail.com');
    expect(await verify(suggestion!)).toMatchObject({ state: 'deliverable' });
  });

  it('names the provider of well-known domains', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => verify(`visitor${index}@gmail.com`)),
    );
    expect(results.map(({ smtp_provider }) => smtp_provider)).toContain('google');
  });
});

describe('test addresses', () => {
  const plain = {
    free: false,
    role: false,
    disposable: false,
    accept_all: null,
    did_you_mean: null,
    mailbox_full: false,
    no_reply: false,
  };

  it.each<[string, Partial<VerificationResult>]>([
    ['deliverable', { ...plain, state: 'deliverable' }],
    ['undeliverable', { ...plain, state: 'undeliverable', score: 0 }],
    ['risky', { ...plain, state: 'risky', reason: 'low_quality', mailbox_full: true }],
    ['unknown', { ...plain, state: 'unknown' }],
    ['role', { ...plain, state: 'deliverable', role: true }],
    ['free', { ...plain, state: 'deliverable', free: true }],
    ['accept-all', { ...plain, state: 'risky', reason: 'low_deliverability', accept_all: true }],
    ['disposable', { ...plain, state: 'deliverable', disposable: true }],
  ])('%s@example.com', async (name, expected) => {
    expect(await verify(`${name}@example.com`)).toMatchObject(expected);
    expect(await verify(`${name.toUpperCase()}@EXAMPLE.com`)).toMatchObject(expected);
    expect(await verify(`${name}+tag@example.com`)).toMatchObject({ ...expected, user: name, tag: 'tag' });
  });

  it('show only their own attribute, whatever the lists and the draws say', async () => {
    const roleNames = new Set([...lists.roleNames, 'deliverable']);
    const verifier = createSampleVerifier(createFacts({ ...lists, roleNames }));
    expect((await verify('deliverable@example.com', false, verifier)).role).toBe(false);
    const tagged = await Promise.all(
      Array.from({ length: 50 }, (_, tag) => verify(`accept-all+${tag}@example.com`, true)),
    );
    expect(tagged.filter(({ mailbox_full, accept_all }) => mailbox_full || !accept_all)).toEqual([]);
  });

  it('slow@example.com never gets a result', async () => {
    for (const address of ['slow@example.com', 'SLOW+tag@Example.com']) {
      const request = { address, smtp: true, acceptAll: false, timeoutMs: 5000 };
      expect(await sampleVerifier(request)).toEqual({ result: undefined, later: undefined });
    }
  });

  it.each([
    'slow@www.example.com',
    'slow@example.org',
    'slow@example.com.evil.test',
    'constructor@example.com',
  ])('%s is not a test address', async (address) => {
    expect((await verify(address)).email).toBe(address);
  });

  it.each(['accept-all@mail.example.com', 'accept-all@example.net'])(
    '%s is not a test address',
    async (address) => {
      expect((await verify(address)).accept_all).toBeNull();
    },
  );
});

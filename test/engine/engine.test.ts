/** The table of the engine's contract, line by line, from an address to its result. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryDomainFacts } from '../../src/engine/domains/memory-domain-facts.ts';
import type { VerificationResult } from '../../src/protocol/result.ts';
import { STATE_OF_REASON } from '../../src/protocol/state-of-reason.ts';
import { engineIn, openWorld, told } from './world/engine.ts';
import { close, type MailScript, multiline, raw } from './world/mail-server.ts';

const says = (rcpt: string): MailScript => ({ rcpt });
const HTTP = 'HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n';
const BLOCKED = '550 5.7.1 Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org';

const SCRIPTS: Record<string, MailScript> = {
  'good.test': {
    mailboxes: ['jane@good.test', 'info@good.test', 'no-reply@good.test', 'jane+tag@good.test'],
  },
  'all.test': { catchAll: true },
  'unknown.test': { mailboxes: [] },
  'disabled.test': says('550 5.2.1 The email account that you tried to reach is disabled'),
  'bare.test': says('550 No such user here'),
  'full.test': says('552 5.2.2 Mailbox full'),
  'full-4.test': says('452 4.2.2 The recipient is over quota'),
  'blocked.test': says(BLOCKED),
  'relay.test': says('554 5.7.1 <jane@relay.test>: Relay access denied'),
  'policy.test': says('550 5.7.1 Message rejected due to local policy'),
  'grey.test': { greylist: true },
  'four.test': says('451 4.3.0 Temporary lookup failure'),
  'bare-5.test': says('550 Rejected'),
  'sender.test': { mail: '553 5.1.8 Sender address rejected: Domain not found' },
  'sender-quoted.test': says('550 5.1.1 Sender verify failed: no such user probe@verify.world.test'),
  'http.test': { banner: [raw(HTTP), close] },
  'ssh.test': { banner: [raw('SSH-2.0-OpenSSH_9.6\r\n'), close] },
  'words.test': { banner: 'hello, who are you?' },
  'no-service.test': { banner: '554 No SMTP service here' },
  'busy.test': { banner: '421 4.3.2 Try again later' },
  'ehlo-4.test': { ehlo: '451 4.3.0 Not now' },
  'helo-5.test': { ehlo: '550 5.7.1 Bad name', helo: '550 5.7.1 Bad name' },
  'only-helo.test': { ehlo: '502 5.5.1 Command not implemented' },
  'closes.test': { rcpt: close },
  'closes-at-banner.test': { banner: close },
  'utf8.test': { smtpUtf8: true },
  'tls.test': { starttls: 'offered', tlsRequired: true },
  // Domains of the packaged lists, which lead into this world.
  'gmail.com': {},
  'mailinator.com': {},
  'xn--bcher-kva.test': { mailboxes: ['jane@xn--bcher-kva.test'] },
};

const mx = (...MX: (readonly [preference: number, exchange: string])[]) => ({ MX });

/** No test knows what an earlier one has learnt of a domain. */
let now = 0;
beforeEach(() => {
  now += 8 * 24 * 60 * 60 * 1000;
});
const { world, engine } = await openWorld(
  SCRIPTS,
  {
    'null.test': { MX: [[0, '.']], A: ['127.0.1.1'] },
    'nothing.test': { TXT: ['x'] },
    'no-mx.test': { A: ['127.0.1.1'] },
    'dead-mx.test': { MX: [[10, 'mx.gone.test']] },
    'one-dead-mx.test': mx([5, 'mx.gone.test'], [10, 'mx.good.test']),
    'refused.test': { A: ['127.0.9.9'] },
    'failing.test': { A: ['127.0.1.1'], trouble: { MX: 'SERVFAIL' } },
    'refusing-dns.test': { A: ['127.0.1.1'], trouble: { MX: 'REFUSED' } },
    'half-failing.test': mx([5, 'broken.half-failing.test'], [10, 'mx.good.test']),
    'broken.half-failing.test': { trouble: 'SERVFAIL' },
    'google.test': { MX: [[10, 'aspmx.l.google.com']] },
    'aspmx.l.google.com': { A: ['127.0.1.2'] },
    'yahoo.test': { MX: [[10, 'mta5.am0.yahoodns.net']] },
    'mta5.am0.yahoodns.net': { A: ['127.0.1.1'] },
  },
  { domainFacts: createMemoryDomainFacts({ now: () => new Date(now) }) },
);

type Expected = Partial<VerificationResult>;
const ok = (score: number): Expected => ({ reason: 'accepted_email', score });
const unknown = (reason: VerificationResult['reason']): Expected => ({ reason, score: 50 });
const dead = (reason: VerificationResult['reason']): Expected => ({ reason, score: 0 });

async function expectResult(address: string, expected: Expected, how = {}): Promise<void> {
  const { result, evidence } = await engine.verify(address, how);
  expect(result, told(evidence)).toMatchObject({
    email: address,
    state: STATE_OF_REASON[result.reason],
    accept_all: null,
    mailbox_full: false,
    ...expected,
  });
  expect(result.duration).toBeGreaterThanOrEqual(0);
}

describe('an address that needs no server', () => {
  it.each([
    ['jane', ''],
    ['jane@', ''],
    ['@good.test', 'good.test'],
    ['jane..doe@good.test', 'good.test'],
    ['jane doe@good.test', 'good.test'],
    ['"jane\r\nQUIT"@good.test', 'good.test'],
    ['jane@good..test', 'good..test'],
    ['jane@-good.test', '-good.test'],
    [`${'x'.repeat(65)}@good.test`, 'good.test'],
    ['jane@xn--zz.test', 'xn--zz.test'],
  ])('is invalid_email by its form: %j', async (address, domain) => {
    await expectResult(address, { ...dead('invalid_email'), domain, mx_record: '', smtp_provider: null });
  });

  it.each([
    ...['jane@[127.0.0.1]', 'jane@[192.0.2.1]', 'jane@[IPv6:2001:db8::1]'],
    ...['jane@127.0.0.1', 'jane@12345', 'jane@good.123', 'jane@localhost', 'jane@com'],
  ])('is invalid_domain by its domain: %s', async (address) => {
    await expectResult(address, { ...dead('invalid_domain'), mx_record: '' });
  });

  it('contacts no server', () => {
    expect(world.dns.questions.filter(({ name }) => /^(?:\d|localhost|com$)|-good/.test(name))).toEqual([]);
  });
});

describe('the DNS', () => {
  it.each(['null.test', 'nothing.test', 'dead-mx.test', 'does-not-exist.test'])(
    'makes %s invalid_domain',
    async (domain) => {
      await expectResult(`jane@${domain}`, { ...dead('invalid_domain'), mx_record: '', smtp_provider: null });
    },
  );

  it('leads to the domain itself without an MX', async () => {
    await expectResult('jane@no-mx.test', { reason: 'rejected_email', mx_record: 'no-mx.test' });
  });

  it('gives another MX if one does not exist, or its lookup fails', async () => {
    await expectResult('jane@one-dead-mx.test', { reason: 'rejected_email', mx_record: 'mx.good.test' });
    await expectResult('jane@half-failing.test', { reason: 'rejected_email', mx_record: 'mx.good.test' });
  });

  it.each(['failing.test', 'refusing-dns.test'])('leaves %s unknown when it fails', async (domain) => {
    await expectResult(`jane@${domain}`, { ...unknown('unexpected_error'), mx_record: '' });
    expect(world.dns.count(domain, 'A')).toBe(0);
  });

  it('gives the provider by the MX', async () => {
    const google = { smtp_provider: 'google', mx_record: 'aspmx.l.google.com' };
    await expectResult('jane@google.test', { ...ok(100), ...google });
    await expectResult('jane@good.test', { ...ok(100), smtp_provider: null });
  });
});

describe('the reply to RCPT', () => {
  it.each<[string, Expected]>([
    ['jane@good.test', { ...ok(100), mx_record: 'mx.good.test' }],
    ['jane+tag@good.test', { ...ok(100), user: 'jane', tag: 'tag' }],
    ['jane@gmail.com', { ...ok(95), free: true }],
    ['info@good.test', { ...ok(90), role: true }],
    ['info@gmail.com', { ...ok(85), role: true, free: true }],
    ['no-reply@good.test', { reason: 'low_quality', no_reply: true }],
    ['jane@mailinator.com', { reason: 'low_quality', disposable: true }],
    ['john@good.test', dead('rejected_email')],
    ['jane@unknown.test', dead('rejected_email')],
    ['jane@disabled.test', dead('rejected_email')],
    ['jane@bare.test', dead('rejected_email')],
    ['jane@full.test', { reason: 'low_deliverability', mailbox_full: true }],
    ['jane@full-4.test', { reason: 'low_deliverability', mailbox_full: true }],
    ['jane@blocked.test', unknown('unavailable_smtp')],
    ['jane@relay.test', unknown('unavailable_smtp')],
    ['jane@policy.test', unknown('unavailable_smtp')],
    ['jane@grey.test', unknown('unavailable_smtp')],
    ['jane@four.test', unknown('unavailable_smtp')],
    ['jane@bare-5.test', unknown('unavailable_smtp')],
    ['jane@sender.test', unknown('unavailable_smtp')],
    ['jane@sender-quoted.test', unknown('unavailable_smtp')],
    ['jane@closes.test', { state: 'unknown' }],
    ['jane@tls.test', ok(100)],
    ['jane@only-helo.test', ok(100)],
  ])('decides about %s', expectResult);

  it('keeps risky scores between 1 and 79', async () => {
    for (const address of ['jane@full.test', 'jane@mailinator.com', 'no-reply@good.test', 'info@all.test']) {
      const { state, score } = await engine.check(address, { acceptAll: true });
      expect(state).toBe('risky');
      expect(score).toBeGreaterThanOrEqual(1);
      expect(score).toBeLessThanOrEqual(79);
    }
  });
});

describe('a server that violates the protocol', () => {
  it.each<[string, Expected]>([
    ['jane@http.test', dead('invalid_smtp')],
    ['jane@ssh.test', dead('invalid_smtp')],
    ['jane@words.test', dead('invalid_smtp')],
    ['jane@no-service.test', unknown('unavailable_smtp')],
    ['jane@busy.test', unknown('unavailable_smtp')],
    ['jane@ehlo-4.test', unknown('unavailable_smtp')],
    ['jane@helo-5.test', unknown('unavailable_smtp')],
    ['jane@closes-at-banner.test', unknown('unavailable_smtp')],
    ['jane@refused.test', { ...unknown('no_connect'), mx_record: 'refused.test' }],
  ])('%s', expectResult);
});

describe('accept-all', () => {
  const asked = { acceptAll: true };

  it.each<[string, Expected]>([
    ['jane@good.test', { ...ok(100), accept_all: false }],
    ['jane@all.test', { reason: 'low_deliverability', accept_all: true, score: 70 }],
    ['info@all.test', { reason: 'low_deliverability', accept_all: true, role: true }],
    ['no-reply@all.test', { reason: 'low_deliverability', accept_all: true, no_reply: true }],
    // The real address has the last word, and the impossible one is not asked about.
    ['john@good.test', { ...dead('rejected_email'), accept_all: null }],
    ['jane@full.test', { reason: 'low_deliverability', accept_all: null, mailbox_full: true }],
  ])('%s', (address, expected) => expectResult(address, expected, asked));

  it('is null without a request for it', async () => {
    await expectResult('jane@all.test', { ...ok(100), accept_all: null });
  });

  it('is true for Yahoo, without an impossible address', async () => {
    const mx = world.server('good.test');
    const before = mx.lines().length;
    await expectResult('jane@yahoo.test', dead('rejected_email'));
    mx.set({});
    const unasked = { reason: 'low_deliverability', accept_all: null, smtp_provider: 'yahoo' } as const;
    await expectResult('jane@yahoo.test', unasked);
    await expectResult('jane@yahoo.test', { reason: 'low_deliverability', accept_all: true }, asked);
    mx.set(SCRIPTS['good.test']!);
    const lines = mx.lines().slice(before);
    const recipients = lines.filter((line) => line.startsWith('RCPT'));
    expect(recipients).toEqual(Array(3).fill('RCPT TO:<jane@yahoo.test>'));
  });
});

describe('without SMTP', () => {
  const offline = { smtp: false };

  it('is low_deliverability if there is a mail server, and contacts none', async () => {
    const mx = world.server('all.test');
    await mx.whenEmpty();
    const before = mx.connections;
    const expected = { reason: 'low_deliverability', score: 70, mx_record: 'mx.all.test' } as const;
    await expectResult('jane@all.test', expected, { ...offline, acceptAll: true });
    const { score } = await engine.check('jane@gmail.com', offline);
    expect(score).toBeLessThanOrEqual(70);
    expect(mx.connections).toBe(before);
  });

  it.each<[string, Expected]>([
    ['jane@null.test', dead('invalid_domain')],
    ['jane..doe@all.test', dead('invalid_email')],
    ['jane@failing.test', unknown('unexpected_error')],
  ])('still knows about %s', (address, expected) => expectResult(address, expected, offline));
});

describe('addresses beyond ASCII', () => {
  it('sends an international domain in its ASCII form, without SMTPUTF8', async () => {
    const inAscii = { domain: 'bücher.test', mx_record: 'mx.xn--bcher-kva.test' };
    await expectResult('jane@bücher.test', { ...ok(100), ...inAscii });
    expect(world.server('xn--bcher-kva.test').lines()).toContain('RCPT TO:<jane@xn--bcher-kva.test>');
    expect(world.server('xn--bcher-kva.test').lines().join()).not.toContain('SMTPUTF8');
  });

  it('uses SMTPUTF8 for a local part that needs it', async () => {
    await expectResult('jürgen@utf8.test', { ...ok(100), user: 'jürgen' });
    expect(world.server('utf8.test').lines()).toContain('MAIL FROM:<probe@verify.world.test> SMTPUTF8');
    await expectResult('jane@utf8.test', ok(100));
    expect(world.server('utf8.test').lines()).toContain('MAIL FROM:<probe@verify.world.test>');
  });

  it('is invalid_smtp if the server does not have it', async () => {
    await expectResult('jürgen@good.test', { ...dead('invalid_smtp'), mx_record: 'mx.good.test' });
  });
});

describe('a quoted local part', () => {
  it.each(['"jane doe"@all.test', '"jane@home"@all.test', '"ja\\"ne"@all.test', '"jane> <x"@all.test'])(
    'reaches the server as it is: %s',
    async (address) => {
      await expectResult(address, { ...ok(100), tag: null, domain: 'all.test' });
      expect(world.server('all.test').lines()).toContain(`RCPT TO:<${address}>`);
    },
  );
});

describe('did_you_mean', () => {
  it.each([
    ['jane@gmial.test', null],
    ['jane@good.test', null],
    ['jane@gmail.com', null],
    ['jane@gmail.con', 'jane@gmail.com'],
    ['jane@company.con', 'jane@company.com'],
    ['jane@gmailcom', 'jane@gmail.com'],
    ['jane@gmail,com', 'jane@gmail.com'],
  ])('for %s is %s', async (address, meant) => {
    expect((await engine.check(address)).did_you_mean).toBe(meant);
  });

  it('suggests a large provider even if the mistyped domain has a mail server', async () => {
    world.dns.set('gmial.com', { MX: [[10, 'mx.all.test']] });
    await expectResult('jane@gmial.com', { ...ok(100), did_you_mean: 'jane@gmail.com' });
  });

  it('is null for another domain with a mail server', async () => {
    world.dns.set('works.con', { MX: [[10, 'mx.all.test']] });
    await expectResult('jane@works.con', { ...ok(100), did_you_mean: null });
    await expectResult('jane@works.con', { did_you_mean: null }, { smtp: false });
  });
});

it('uses the name and the sender of the config, and the null sender', async () => {
  const other = engineIn(world, { helo: '[192.0.2.1]', mailFrom: '' });
  expect((await other.check('jane@only-helo.test')).reason).toBe('accepted_email');
  await other.close();
  expect(world.server('only-helo.test').lines().slice(-6)).toEqual([
    ...['EHLO [192.0.2.1]', 'HELO [192.0.2.1]', 'MAIL FROM:<>'],
    ...['RCPT TO:<jane@only-helo.test>', 'RSET', 'QUIT'],
  ]);
});

describe('the evidence', () => {
  it('has every step of an accepted address, and no address', async () => {
    const { evidence } = await engine.verify('jane@good.test', { acceptAll: true });
    expect(evidence.map(({ stage }) => stage)).toEqual(
      expect.arrayContaining(['dns', 'connect', 'banner', 'ehlo', 'mail', 'rcpt', 'probe', 'verdict']),
    );
    expect(evidence.find(({ stage }) => stage === 'rcpt')).toMatchObject({
      server: 'mx.good.test [127.0.1.1]',
      code: 250,
    });
    expect(evidence.at(-1)).toMatchObject({ stage: 'verdict', rule: 'accepted' });
    expect(told(evidence)).not.toMatch(/\S@\S/);
  });

  it('quotes a refusal without the address', async () => {
    const { evidence } = await engine.verify('john@good.test');
    const rcpt = evidence.find(({ stage }) => stage === 'rcpt');
    expect(rcpt).toMatchObject({ code: 550, rule: expect.stringContaining('no such mailbox') });
    expect(rcpt?.text).toContain('User unknown');
    expect(told(evidence)).not.toContain('john');
  });
});

it('reads a multi-line reply as one', async () => {
  world.server('four.test').set({ rcpt: multiline(550, '5.1.1 The account', '5.1.1 does not exist') });
  await expectResult('jane@four.test', dead('rejected_email'));
});

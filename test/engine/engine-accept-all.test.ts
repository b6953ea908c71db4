/** The impossible address: when it is asked about, how, and what its reply is worth. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryDomainFacts } from '../../src/engine/domains/memory-domain-facts.ts';
import { stopClockInFile } from './world/clock.ts';
import { openWorld } from './world/engine.ts';
import { close, type MailScript, type Step, silence } from './world/mail-server.ts';

/** Accepts Jane, and gives this reply to every other recipient. */
const others = (reply: Step): MailScript => ({
  rcpt: (recipient) => (recipient.startsWith('jane@') ? '250 OK' : reply),
});

const SCRIPTS: Record<string, MailScript> = {
  'exact.test': others('550 5.1.1 User unknown'),
  'all.test': {},
  'greylist.test': { greylist: true },
  'blocked.test': others('550 5.7.1 Blocked using zen.spamhaus.org'),
  'four.test': others('450 4.2.0 Try again'),
  'too-many.test': others('452 4.5.3 Too many recipients'),
  'closing.test': others(close),
  'goodbye.test': others(['421 4.7.0 Enough', close]),
  'bare.test': others('550 Rejected'),
  'silent.test': others(silence),
  'nonsense.test': others('what?'),
  'microsoft.test': others('550 5.4.1 Recipient address rejected: Access denied.'),
  'gateway.test': {},
  'exact-gateway.test': others('550 5.1.1 User unknown'),
  'blocking-gateway.test': others('550 5.7.1 Blocked'),
  'mailru.test': {},
  'microsoft-slow.test': { recipientsBefore421: 1 },
};

stopClockInFile();
let now = Date.UTC(2026, 0, 1);
/** Lets what is known of domains grow old. */
const forget = () => {
  now += 7 * 24 * 3_600_000;
};
const domainFacts = createMemoryDomainFacts({ now: () => new Date(now) });
const { world, engine } = await openWorld(SCRIPTS, {}, { domainFacts });
const ask = (domain: string, timeoutMs = 5000) =>
  engine.check(`jane@${domain}`, { acceptAll: true, timeoutMs });
const recipients = (domain: string, connection?: number) =>
  world
    .server(domain)
    .lines(connection)
    .filter((line) => line.startsWith('RCPT'))
    .map((line) => line.slice('RCPT TO:<'.length, -1));

describe('a server that knows its mailboxes', () => {
  it('gets an impossible address in a separate transaction', async () => {
    expect(await ask('exact.test')).toMatchObject({
      reason: 'accepted_email',
      score: 100,
      accept_all: false,
    });
    const server = world.server('exact.test');
    await server.whenEmpty();
    const [impossible] = recipients('exact.test').slice(1);
    expect(server.lines()).toEqual([
      'EHLO verify.world.test',
      'MAIL FROM:<probe@verify.world.test>',
      'RCPT TO:<jane@exact.test>',
      'RSET',
      'MAIL FROM:<probe@verify.world.test>',
      `RCPT TO:<${impossible}>`,
      'RSET',
      'QUIT',
    ]);
  });

  it('gets the same human-looking address each time, and another domain gets another one', async () => {
    await ask('exact.test');
    await ask('all.test');
    forget();
    await ask('exact.test');
    const [first, second] = recipients('exact.test').filter((recipient) => !recipient.startsWith('jane@'));
    const [other] = recipients('all.test').filter((recipient) => !recipient.startsWith('jane@'));
    expect(second).toBe(first);
    const local = first!.split('@')[0]!;
    expect(local).toMatch(/^[a-z0-9._-]{4,32}$/);
    expect(local).not.toMatch(/\d{5}|test|probe/);
    expect(other!.split('@')[0]).not.toBe(local);
  });
});

it('finds a server that accepts all', async () => {
  expect(await ask('all.test')).toMatchObject({
    reason: 'low_deliverability',
    state: 'risky',
    accept_all: true,
  });
});

it('gets past a greylist the second time', async () => {
  expect(await ask('greylist.test')).toMatchObject({ reason: 'unavailable_smtp', accept_all: null });
  expect(await ask('greylist.test')).toMatchObject({ reason: 'accepted_email', accept_all: null });
  forget();
  expect(await ask('greylist.test')).toMatchObject({ reason: 'low_deliverability', accept_all: true });
});

it.each([
  'blocked.test',
  'four.test',
  'too-many.test',
  'closing.test',
  'goodbye.test',
  'bare.test',
  'nonsense.test',
])('leaves accept_all open, and the verdict as it is: %s', async (domain) => {
  expect(await ask(domain)).toMatchObject({ reason: 'accepted_email', score: 100, accept_all: null });
});

it('leaves accept_all open when its time is over', async () => {
  expect(await ask('silent.test', 300)).toMatchObject({ reason: 'accepted_email', accept_all: null });
});

describe('Microsoft', () => {
  beforeAll(() => {
    const at = (domain: string) => ({ A: [world.server(domain).ip] });
    world.dns.set('acme.test', { MX: [[0, 'acme-test.mail.protection.outlook.com']] });
    world.dns.set('acme-test.mail.protection.outlook.com', at('microsoft.test'));
    world.dns.set('beta.test', { MX: [[0, 'beta-test.mail.protection.outlook.com']] });
    world.dns.set('beta-test.mail.protection.outlook.com', at('microsoft-slow.test'));
  });

  it('gets the impossible address in a separate connection', async () => {
    expect(await ask('acme.test')).toMatchObject({
      reason: 'accepted_email',
      accept_all: false,
      smtp_provider: 'microsoft',
      mx_record: 'acme-test.mail.protection.outlook.com',
    });
    expect(world.server('microsoft.test').connections).toBe(2);
    expect(recipients('microsoft.test', 1)).toEqual(['jane@acme.test']);
    expect(recipients('microsoft.test', 2)).toHaveLength(1);
  });

  it('is found to accept all if it takes one recipient per connection', async () => {
    expect(await ask('beta.test')).toMatchObject({ reason: 'low_deliverability', accept_all: true });
  });

  it('reports with 5.4.1 that a mailbox does not exist', async () => {
    expect(await engine.check('john@acme.test')).toMatchObject({ reason: 'rejected_email' });
  });
});

describe('Proofpoint', () => {
  beforeAll(() => {
    for (const domain of ['gateway.test', 'exact-gateway.test', 'blocking-gateway.test']) {
      const host = `${domain.replace('.', '-')}.gslb.pphosted.com`;
      world.dns.set(domain, { MX: [[10, host]] });
      world.dns.set(host, { A: [world.server(domain).ip] });
    }
    world.dns.set('essentials.test', { MX: [[10, 'mx1-us1.ppe-hosted.com']] });
    world.dns.set('mx1-us1.ppe-hosted.com', { A: [world.server('gateway.test').ip] });
  });
  const check = (domain: string, acceptAll: boolean) => engine.check(`jane@${domain}`, { acceptAll });
  const LOW = { reason: 'low_deliverability', score: 70, smtp_provider: 'proofpoint' };

  it('gets an impossible address for every request, and tells of it only on request', async () => {
    expect(await check('gateway.test', false)).toMatchObject({ ...LOW, accept_all: null });
    expect(recipients('gateway.test')).toHaveLength(2);
    expect(await check('gateway.test', true)).toMatchObject({ ...LOW, accept_all: true });
  });

  it('is believed where it refuses that address', async () => {
    const exact = { reason: 'accepted_email', score: 100 };
    expect(await check('exact-gateway.test', false)).toMatchObject({ ...exact, accept_all: null });
    expect(await check('exact-gateway.test', true)).toMatchObject({ ...exact, accept_all: false });
  });

  it('is not believed where it does not say', async () => {
    expect(await check('blocking-gateway.test', true)).toMatchObject({ ...LOW, accept_all: null });
  });

  it('Essentials is believed without it', async () => {
    const before = recipients('gateway.test').length;
    expect(await check('essentials.test', false)).toMatchObject({ reason: 'accepted_email', score: 100 });
    expect(recipients('gateway.test')).toHaveLength(before + 1);
  });
});

it('asks nothing impossible of a provider that accepts all, and says so on request', async () => {
  world.dns.set('mailru.test', { MX: [[10, 'emx.mail.ru']] });
  world.dns.set('emx.mail.ru', { A: [world.server('mailru.test').ip] });
  const LOW = { reason: 'low_deliverability', smtp_provider: 'mailru' };
  expect(await engine.check('jane@mailru.test', { acceptAll: true })).toMatchObject({
    ...LOW,
    accept_all: true,
  });
  expect(await engine.check('jane@mailru.test')).toMatchObject({ ...LOW, accept_all: null });
  expect(recipients('mailru.test')).toEqual(['jane@mailru.test', 'jane@mailru.test']);
});

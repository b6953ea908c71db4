/** How hard an organisation is asked: connections, conversations a minute, recipients, and pauses. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PerHost } from '../../src/engine/options.ts';
import { HELD_BACK } from '../../src/engine/verdict.ts';
import type { Verified } from '../../src/engine/verifier.ts';
import { ended, stopClockInFile } from './world/clock.ts';
import { type EngineInWorld, engineIn, told } from './world/engine.ts';
import { close, type MailScript, wait } from './world/mail-server.ts';
import { startWorld } from './world/world.ts';

const slowly: MailScript = { rcpt: [wait(15), '250 OK'] };
const SCRIPTS: Record<string, MailScript> = {
  'connections.test': slowly,
  'one.test': slowly,
  'first.test': slowly,
  'second.test': slowly,
  'recipients.test': slowly,
  'microsoft.test': slowly,
  'minute.test': {},
  'crowded.test': { banner: ['421 4.7.0 Too many', close] },
  'block.test': { rcpt: ['550 5.7.1 Blocked using zen.spamhaus.org', close] },
  'rate.test': { rcpt: ['421 4.7.0 Rate limited', close] },
  'late.test': { rcpt: '503 5.5.1 Error: need MAIL command' },
  'later.test': { mail: '503 5.5.1 Error: send HELO/EHLO first' },
  'secure.test': { starttls: 'unwelcome' },
  'reset.test': { rset: '503 5.5.1 Error: need MAIL command' },
  'closing.test': { rset: ['421 4.7.0 Too many', close] },
  'unasked.test': { rset: ['250 2.0.0 OK', '421 4.7.0 Too many', close] },
  'early.test': { rcpt: ['250 2.1.5 OK', '421 4.7.0 Too many', close] },
  'leaving.test': { quit: ['421 4.7.0 Too many', close] },
  'shut.test': { banner: '554 5.3.2 Not accepting messages', quit: ['421 4.7.0 Too many', close] },
  'hotmail.test': { rcpt: close },
  'company.test': {},
  'dropping.test': { rcpt: close },
  'mixed.test': { rcpt: (recipient) => (recipient.startsWith('bad') ? '421 4.7.0 Slow down' : '250 OK') },
  'apart.test': {},
  'called.test': {},
  'few.test': {},
  'limited.test': { recipientsBefore421: 3, rcpt: [wait(10), '250 OK'] },
  'strict.test': { connectionsBefore421: 2, rcpt: [wait(10), '250 OK'] },
};

const clock = stopClockInFile();
const world = await startWorld(SCRIPTS);
afterAll(() => world.close());

function open(perHost: Partial<PerHost> = {}): EngineInWorld {
  const limits = { connections: 10, perMinute: 1_000_000, recipientsPerConnection: 20, ...perHost };
  const engine = engineIn(world, { perHost: limits });
  onTestFinished(() => engine.close());
  return engine;
}
const many = (engine: EngineInWorld, count: number, domain: string, how = {}) =>
  Promise.all(Array.from({ length: count }, (_, index) => engine.check(`jane${index}@${domain}`, how)));
const longest = (results: readonly { readonly duration: number }[]) =>
  Math.max(...results.map(({ duration }) => duration));
const reasons = (results: readonly { readonly reason: string }[]) =>
  [...new Set(results.map(({ reason }) => reason))].sort();

describe('connections', () => {
  it.each([1, 2, 5])(
    'are never more than %d at a time, and all addresses get their turn',
    async (connections) => {
      const domain = connections === 1 ? 'one.test' : 'connections.test';
      const engine = open({ connections, recipientsPerConnection: 1 });
      expect(reasons(await many(engine, 15, domain))).toEqual(['accepted_email']);
      expect(world.server(domain).maxParallel).toBeLessThanOrEqual(connections);
    },
  );

  it('are counted for all hosts of an organisation together', async () => {
    const first = world.server('first.test');
    const second = world.server('second.test');
    let most = 0;
    const rcpt = () => {
      most = Math.max(most, first.open + second.open);
      return [wait(15), '250 OK'];
    };
    for (const server of [first, second]) server.set({ rcpt });
    world.dns.set('a.shared-hosts.test', { A: [first.ip] });
    world.dns.set('b.shared-hosts.test', { A: [second.ip] });
    world.dns.set('here.test', { MX: [[10, 'a.shared-hosts.test']] });
    world.dns.set('there.test', { MX: [[10, 'b.shared-hosts.test']] });
    const engine = open({ connections: 1, recipientsPerConnection: 1 });
    const all = await Promise.all([many(engine, 5, 'here.test'), many(engine, 5, 'there.test')]);
    expect(reasons(all.flat())).toEqual(['accepted_email']);
    expect(first.connections + second.connections).toBe(10);
    expect(most).toBe(1);
  });

  it('do not delay another organisation', async () => {
    const engine = open({ connections: 1, recipientsPerConnection: 1 });
    const busy = many(engine, 10, 'one.test');
    const ended = vi.fn();
    void busy.then(ended);
    expect((await engine.check('jane@apart.test')).reason).toBe('accepted_email');
    expect(ended).not.toHaveBeenCalled();
    await busy;
  });

  it('end as unavailable_smtp for requests whose time is over before their turn', async () => {
    const engine = open({ connections: 1, recipientsPerConnection: 1 });
    world.server('one.test').set({ rcpt: [wait(120), '250 OK'] });
    const results = await many(engine, 8, 'one.test', { timeoutMs: 400 });
    // A moment more is pacing's, to say why it held back.
    expect(longest(results)).toBeLessThanOrEqual(0.5);
    expect(results.some(({ reason }) => reason === 'accepted_email')).toBe(true);
    expect(results.some(({ reason }) => reason === 'unavailable_smtp')).toBe(true);
    for (const { state } of results) expect(['deliverable', 'unknown']).toContain(state);
    world.server('one.test').set(slowly);
  });
});

describe('a connection', () => {
  it('is handed over, up to so many recipients, each in a separate transaction', async () => {
    const engine = open({ connections: 1, recipientsPerConnection: 3 });
    const server = world.server('recipients.test');
    expect(reasons(await many(engine, 9, 'recipients.test'))).toEqual(['accepted_email']);
    await engine.close();
    expect(server.connections).toBe(3);
    for (const connection of [1, 2, 3]) {
      const lines = server.lines(connection);
      expect(lines.filter((line) => line.startsWith('RCPT'))).toHaveLength(3);
      expect(lines.filter((line) => line.startsWith('MAIL'))).toHaveLength(3);
      expect(lines.filter((line) => line.startsWith('EHLO'))).toHaveLength(1);
      expect(lines.at(-1)).toBe('QUIT');
    }
  });

  it('takes five recipients at most at Microsoft', async () => {
    const server = world.server('microsoft.test');
    world.dns.set('acme.test', { MX: [[0, 'acme-test.mail.protection.outlook.com']] });
    world.dns.set('acme-test.mail.protection.outlook.com', { A: [server.ip] });
    const engine = open({ connections: 1, recipientsPerConnection: 100 });
    expect(reasons(await many(engine, 12, 'acme.test'))).toEqual(['accepted_email']);
    await engine.close();
    for (let connection = 1; connection <= server.connections; connection += 1) {
      const recipients = server.lines(connection).filter((line) => line.startsWith('RCPT'));
      expect(recipients.length).toBeLessThanOrEqual(5);
    }
    expect(server.connections).toBe(3);
  });

  it.each(['452 4.5.3 Too many recipients', '452 4.7.1 Too many recipients received this session'])(
    'that takes no further recipient costs no address its verdict: %s',
    async (reply) => {
      const server = world.server('few.test');
      server.set({ rcpt: (_, { nth }) => (nth > 1 ? reply : [wait(10), '250 OK']) });
      const engine = open({ connections: 1 });
      expect(reasons(await many(engine, 3, 'few.test', { timeoutMs: 4000 }))).toEqual(['accepted_email']);
    },
  );

  it('that is closed after some recipients leaves every address its verdict', async () => {
    const engine = open({ connections: 1 });
    const results = await many(engine, 3, 'limited.test');
    expect(reasons(results)).toEqual(['accepted_email']);
  });
});

describe('conversations a minute', () => {
  it('are not exceeded, and a wait in vain ends at once', async () => {
    const engine = open({ perMinute: 3, recipientsPerConnection: 1 });
    const results = await many(engine, 8, 'minute.test');
    expect(results.filter(({ reason }) => reason === 'accepted_email')).toHaveLength(3);
    expect(results.filter(({ reason }) => reason === 'unavailable_smtp')).toHaveLength(5);
    expect(world.server('minute.test').connections).toBe(3);
    expect(longest(results)).toBeLessThan(1);
    const { evidence } = await engine.verify('late@minute.test');
    expect(told(evidence)).toContain('per minute');
  });
});

describe('an organisation that asks for fewer conversations', () => {
  it.each(['crowded.test', 'block.test', 'rate.test', 'late.test', 'later.test', 'secure.test'])(
    'gets a pause: %s',
    async (domain) => {
      const engine = open({ recipientsPerConnection: 1 });
      const server = world.server(domain);
      expect((await engine.check(`jane@${domain}`)).reason).toBe('unavailable_smtp');
      const results = await many(engine, 20, domain, { timeoutMs: 1500 });
      expect(reasons(results)).toEqual(['unavailable_smtp']);
      expect(longest(results)).toBeLessThanOrEqual(1.6);
      expect(server.connections).toBeLessThanOrEqual(3);
    },
  );

  describe.each(['reset.test', 'closing.test', 'unasked.test', 'early.test'])(
    'between two transactions gets a pause, and the address its verdict: %s',
    (domain) => {
      it.each([
        ['before the next address', 20, false],
        ['before QUIT', 1, false],
        ['before the impossible address', 20, true],
      ])('%s', async (_, recipientsPerConnection, acceptAll) => {
        const engine = open({ connections: 1, recipientsPerConnection });
        const before = world.server(domain).connections;
        const result = await engine.check(`jane@${domain}`, { acceptAll });
        expect(result).toMatchObject({ reason: 'accepted_email', accept_all: null });
        const { evidence } = await engine.verify(`john@${domain}`, { timeoutMs: 300 });
        expect(evidence.at(-1)?.rule).toBe(HELD_BACK);
        expect(told(evidence)).toContain('held back (paused)');
        expect(world.server(domain).connections).toBe(before + 1);
      });
    },
  );

  it.each([
    ['leaving.test', 'accepted_email'],
    ['shut.test', 'unavailable_smtp'],
  ])('at QUIT gets a pause, and the address its verdict: %s', async (domain, reason) => {
    const engine = open({ connections: 1, recipientsPerConnection: 1 });
    expect((await engine.check(`jane@${domain}`)).reason).toBe(reason);
    const { evidence } = await engine.verify(`john@${domain}`, { timeoutMs: 300 });
    expect(evidence.at(-1)?.rule).toBe(HELD_BACK);
  });

  describe('by closing at RCPT', () => {
    beforeAll(() => {
      const outlook = (domain: string, zone: string) => {
        const host = `${domain.replace('.', '-')}.${zone}.protection.outlook.com`;
        world.dns.set(domain, { MX: [[0, host]] });
        world.dns.set(host, { A: [world.server(domain).ip] });
      };
      outlook('hotmail.test', 'olc');
      outlook('company.test', 'mail');
    });

    it('gets a pause with all its hosts, if it is Microsoft', async () => {
      const engine = open();
      expect((await engine.check('jane@hotmail.test')).reason).toBe('unavailable_smtp');
      const { evidence } = await engine.verify('jane@company.test', { timeoutMs: 300 });
      expect(evidence.at(-1)?.rule).toBe(HELD_BACK);
      expect(world.server('company.test').connections).toBe(0);
    });

    it('gets a pause although the real address was accepted, and keeps that verdict', async () => {
      const company = world.server('company.test');
      company.set({ rcpt: (recipient) => (recipient.startsWith('jane@') ? '250 OK' : close) });
      const engine = open();
      const result = await engine.check('jane@company.test', { acceptAll: true });
      expect(result).toMatchObject({ reason: 'accepted_email', accept_all: null });
      const { evidence } = await engine.verify('jane@hotmail.test', { timeoutMs: 300 });
      expect(evidence.at(-1)?.rule).toBe(HELD_BACK);
    });

    it('gets none for any other end of a conversation at Microsoft', async () => {
      const company = world.server('company.test');
      company.set({ mail: close });
      const engine = open();
      expect((await engine.check('jane@company.test')).reason).toBe('unavailable_smtp');
      company.set({});
      expect((await engine.check('jane@company.test', { timeoutMs: 300 })).reason).toBe('accepted_email');
    });

    it('gets none elsewhere', async () => {
      const engine = open();
      const dropping = world.server('dropping.test');
      expect((await engine.check('jane@dropping.test')).reason).toBe('unavailable_smtp');
      dropping.set({});
      expect((await engine.check('jane@dropping.test', { timeoutMs: 300 })).reason).toBe('accepted_email');
    });
  });

  it('is contacted again after its pause, for requests with enough time', async () => {
    const engine = open({ connections: 1, recipientsPerConnection: 1 });
    const server = world.server('crowded.test');
    server.set({ banner: ['421 4.7.0 Too many', close] });
    const before = server.connections;
    expect((await engine.check('jane@crowded.test')).reason).toBe('unavailable_smtp');
    server.set({});
    const result = await engine.check('john@crowded.test', { timeoutMs: 5000 });
    expect(result.reason).toBe('accepted_email');
    // The first pause is two seconds, and began when the server had asked for it.
    expect(result.duration).toBeGreaterThan(1.9);
    expect(server.connections).toBe(before + 2);
  });

  it('also delays addresses that it would accept, and condemns none of them', async () => {
    const engine = open({ connections: 1 });
    expect((await engine.check('good@mixed.test')).reason).toBe('accepted_email');
    expect((await engine.check('bad@mixed.test', { timeoutMs: 300 })).reason).toBe('unavailable_smtp');
    const { reason } = await engine.check('good@mixed.test', { timeoutMs: 200 });
    expect(reason).toBe('unavailable_smtp');
  });

  it('refuses with 421 beyond its own limit, and no address is lost or condemned', async () => {
    const engine = open({ connections: 6, recipientsPerConnection: 1 });
    const results = await many(engine, 12, 'strict.test', { timeoutMs: 800 });
    expect(results).toHaveLength(12);
    for (const { reason } of results) expect(['accepted_email', 'unavailable_smtp']).toContain(reason);
  });
});

it('gives 249 first, and the result later', async () => {
  const engine = open();
  world.server('apart.test').set({ rcpt: [wait(250), '250 OK'] });
  const request = { address: 'jane@apart.test', smtp: true, acceptAll: false, timeoutMs: 100 };
  const began = clock.at;
  const first = await clock.run(engine.engine.verifier(request));
  expect(first.result).toBeUndefined();
  expect(clock.at - began).toBe(100);
  const later = first.result === undefined ? await ended(first.later!) : undefined;
  expect(later?.result.reason).toBe('accepted_email');
  world.server('apart.test').set({});
});

it('leaves no timer of the caller when the result is in time', async () => {
  const engine = open();
  const before = vi.getTimerCount();
  const request = { address: 'not an address', smtp: true, acceptAll: false, timeoutMs: 100 };
  expect((await engine.engine.verifier(request)).result?.reason).toBe('invalid_email');
  expect(vi.getTimerCount()).toBe(before);
});

describe('an address that is called off', () => {
  it('does not wait for a conversation, but one that has begun goes on', async () => {
    const server = world.server('called.test');
    server.set({ rcpt: [wait(300), '250 OK'] });
    const engine = open({ connections: 1 });
    const off = new AbortController();
    const how = { calledOff: off.signal };
    const begun = engine.verify('first@called.test', how);
    await server.whenSent(/^RCPT/);
    const request = { address: 'second@called.test', smtp: true, acceptAll: false, timeoutMs: 5_000, ...how };
    let waiting: Promise<Verified> | undefined;
    await new Promise<void>((resolve) => {
      waiting = engine.engine.verifyWithin(request, ({ stage }) => stage === 'dns' && resolve());
    });
    // Its mail host is known, so it waits for the conversation of the first one.
    await new Promise(setImmediate);
    off.abort();
    const first = await Promise.race([begun, waiting]);
    expect(first?.evidence.at(-1)?.rule).toBe(HELD_BACK);
    expect((await begun).result.reason).toBe('accepted_email');
    expect((await engine.verify('third@called.test', how)).evidence.at(-1)?.rule).toBe(HELD_BACK);
    expect(server.lines().filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<first@called.test>']);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryPacing } from '../../../src/engine/pacing/memory-pacing.ts';
import type { Pacing } from '../../../src/engine/pacing/pacing.ts';
import type { MailQuestion } from '../../../src/engine/smtp/mail-client.ts';
import { ended, stopClock } from '../world/clock.ts';
import { close, type Step, silence, wait } from '../world/mail-server.ts';
import { answered, client, countingPacing, question, server } from './support.ts';

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `user${index}@acme.example`);
const recipientsOf = (lines: readonly string[]) => lines.filter((line) => line.startsWith('RCPT'));

/** A server that leaves time for others to wait. */
const SLOW = { rcpt: [wait(10), '250 OK'] };

describe('a conversation that is handed over', () => {
  it('verifies each address in a separate transaction', async () => {
    const mx = await server(SLOW);
    const pacing = countingPacing({ atOnce: 1 });
    const asking = client(mx.port, { pacing });
    const observed = await Promise.all(addresses(3).map((recipient) => asking.ask(question({ recipient }))));
    expect(observed).toEqual([answered('accepted'), answered('accepted'), answered('accepted')]);
    await asking.close();
    const transaction = (recipient: string) => [
      'MAIL FROM:<sender@verify.example>',
      `RCPT TO:<${recipient}>`,
      'RSET',
    ];
    expect(mx.lines(1)).toEqual(['EHLO verify.example', ...addresses(3).flatMap(transaction), 'QUIT']);
    expect(mx.connections).toBe(1);
    expect(pacing.left).toEqual([false]);
    expect(mx.log.filter(({ early }) => early)).toEqual([]);
  });

  it('has a limited number of recipients, including those that cannot exist', async () => {
    const mx = await server(SLOW);
    const asking = client(mx.port, { pacing: countingPacing({ atOnce: 2 }) });
    const organisation = { id: 'mx.test', limits: { recipientsPerConnection: 4 } };
    const impossible = 'imke.madigux82@acme.example';
    await Promise.all(
      addresses(11).map((recipient) => asking.ask(question({ recipient, impossible, organisation }))),
    );
    await asking.close();
    const perConnection = Array.from(
      { length: mx.connections },
      (_, index) => recipientsOf(mx.lines(index + 1)).length,
    );
    expect(perConnection.reduce((sum, count) => sum + count)).toBe(22);
    expect(Math.max(...perConnection)).toBe(4);
    expect(mx.maxParallel).toBe(2);
    expect(mx.lines().filter((line) => line === 'QUIT')).toHaveLength(mx.connections);
  });

  it('serves addresses that pacing has refused', async () => {
    const mx = await server(SLOW);
    const asking = client(mx.port, { pacing: countingPacing({ inAll: 1 }) });
    const observed = await Promise.all(addresses(5).map((recipient) => asking.ask(question({ recipient }))));
    expect(observed).toEqual(Array(5).fill(answered('accepted')));
    expect(mx.connections).toBe(1);
  });

  it('leaves the others held back when it has had its recipients', async () => {
    const mx = await server(SLOW);
    const asking = client(mx.port, { pacing: countingPacing({ inAll: 1 }) });
    const organisation = { id: 'mx.test', limits: { recipientsPerConnection: 3 } };
    // Nobody's time runs out: what waits in vain would never end.
    const signal = new AbortController().signal;
    const observed = await Promise.all(
      addresses(5).map((recipient) => asking.ask(question({ recipient, organisation, signal }))),
    );
    expect(observed.map(({ kind }) => kind)).toEqual([
      'answered',
      'answered',
      'answered',
      'held-back',
      'held-back',
    ]);
  });

  it('ends if no address waits for it', async () => {
    stopClock();
    const mx = await server();
    await client(mx.port).ask(question());
    // By no timer: the clock stands still.
    await mx.whenSent(/^QUIT/);
  });

  it('is not taken by an address with another source', async () => {
    const mx = await server(SLOW);
    const asking = client(mx.port, {
      localAddresses: ['127.0.0.1', '127.0.0.2'],
      pacing: countingPacing({ atOnce: 1 }),
    });
    await Promise.all(addresses(8).map((recipient) => asking.ask(question({ recipient }))));
    await asking.close();
    const from = new Map(
      mx.log
        .filter(({ line }) => line.startsWith('RCPT'))
        .map(({ connection, line }) => [line, mx.clients[connection - 1]]),
    );
    const again = await server(SLOW, { ip: '127.0.0.9' });
    const other = client(again.port, { localAddresses: ['127.0.0.1', '127.0.0.2'] });
    await Promise.all(
      addresses(8).map((recipient) => other.ask(question({ recipient, ips: ['127.0.0.9'] }))),
    );
    for (const { connection, line } of again.log.filter((entry) => entry.line.startsWith('RCPT'))) {
      expect(again.clients[connection - 1]).toBe(from.get(line));
    }
    expect(new Set(mx.clients)).toEqual(new Set(['127.0.0.1', '127.0.0.2']));
  });
});

describe('an address that comes while a transaction ends', () => {
  it.each([
    ['gets its conversation', '250 OK', [1, 1]],
    ['begins another one if that fails', '500 What?', [1, 2]],
  ] as const)('%s', async (_, reply, connections) => {
    const clock = stopClock();
    const mx = await server({ rset: [wait(100), reply] });
    const asking = client(mx.port);
    const [first, second] = addresses(2);
    await asking.ask(question({ recipient: first! }));
    await mx.whenSent(/^RSET/);
    const observed = asking.ask(question({ recipient: second! }));
    await clock.advance(50);
    expect(mx.connections).toBe(1);
    expect(await clock.run(observed)).toEqual(answered('accepted'));
    const places = mx.log.filter(({ line }) => line.startsWith('RCPT')).map(({ connection }) => connection);
    expect(places).toEqual(connections);
  });
});

describe('a conversation beside another one', () => {
  /** One conversation waits for its server, and the other one has verified its address and was reset. */
  async function reset(busy: Step = silence, pacing: Pacing = countingPacing({ atOnce: 2 })) {
    const clock = stopClock();
    const script = { rcpt: (recipient: string) => (recipient.startsWith('busy') ? busy : '250 OK') };
    const mx = await server(script, { ip: '127.0.0.81' });
    const over = new AbortController();
    const asking = client(mx.port, { pacing });
    const ask = (recipient: string, more: Partial<MailQuestion> & { ips?: readonly string[] } = {}) =>
      asking.ask(question({ recipient: `${recipient}@acme.example`, ips: [mx.ip], ...more }));
    const other = ask('busy', { signal: over.signal });
    await mx.whenSent(/^RCPT/);
    await ask('first');
    await mx.whenSent(/^RSET/);
    // The reply arrives.
    await clock.advance(10);
    onTestFinished(() => over.abort());
    return { clock, mx, ask, asking, other, over };
  }

  it('stays open for the next address', async () => {
    const { clock, mx, ask } = await reset();
    await clock.advance(400);
    expect(await ask('second')).toEqual(answered('accepted'));
    expect(recipientsOf(mx.lines(2))).toEqual([
      'RCPT TO:<first@acme.example>',
      'RCPT TO:<second@acme.example>',
    ]);
    expect(mx.connections).toBe(2);
  });

  it('ends after half a second', async () => {
    const { clock, mx } = await reset();
    await clock.advance(450);
    expect(mx.lines()).not.toContain('QUIT');
    await clock.advance(100);
    expect(mx.lines(2).at(-1)).toBe('QUIT');
  });

  it.each([false, true])(
    'ends for an address of its organisation at another server, in the background: %s',
    async (inBackground) => {
      const { clock, mx, ask } = await reset();
      const second = await server({}, { ip: '127.0.0.82', port: mx.port });
      const observed = ask('second', { ips: [second.ip], inBackground });
      await clock.advance(100);
      expect(mx.lines(2).at(-1)).toBe('QUIT');
      expect(await observed).toEqual(answered('accepted'));
    },
  );

  it('ends for a caller whom pacing lets wait', async () => {
    let wanted = 0;
    const slots = countingPacing();
    const pacing: Pacing = {
      async enter(...wish) {
        const slot = await slots.enter(...wish);
        if (typeof slot === 'string') return slot;
        return {
          leave: slot.leave,
          get wanted() {
            return wanted;
          },
        };
      },
    };
    const { clock, mx } = await reset(silence, pacing);
    wanted = 1;
    await clock.advance(100);
    expect(mx.lines(2).at(-1)).toBe('QUIT');
  });

  it('ends after "slow down" in the other one', async () => {
    const { clock, mx } = await reset([wait(100), '421 4.7.0 Bye', close]);
    await clock.advance(150);
    expect(mx.lines(2).at(-1)).toBe('QUIT');
  });

  it('gives way to a new one if its server ends it', async () => {
    const { clock, mx, ask } = await reset();
    mx.set({ rset: ['250 OK', close] });
    await ask('second');
    await clock.advance(50);
    expect(await clock.run(ask('third'))).toEqual(answered('accepted'));
    expect(recipientsOf(mx.lines(3))).toEqual(['RCPT TO:<third@acme.example>']);
  });

  it('ends at once when the client is closed', async () => {
    const { mx, asking, over } = await reset();
    over.abort();
    const closed = asking.close();
    // By no timer: the clock stands still.
    await mx.whenSent(/^QUIT/);
    expect(mx.lines(2).at(-1)).toBe('QUIT');
    await ended(closed);
  });
});

describe('in the background', () => {
  const perHost = { connections: 1, perMinute: 1_000, recipientsPerConnection: 20 };
  const patient = (recipient: string, ip = '127.0.0.1') =>
    question({ recipient, ips: [ip], inBackground: true });

  it('comes after requests of waiting callers', async () => {
    const mx = await server(SLOW);
    const asking = client(mx.port, { perHost, pacing: createMemoryPacing() });
    const behind = addresses(4).map((recipient) => asking.ask(patient(recipient)));
    await mx.whenSent(/^RCPT/);
    await asking.ask(question({ recipient: 'urgent@acme.example' }));
    await Promise.all(behind);
    expect(recipientsOf(mx.lines(1))[1]).toBe('RCPT TO:<urgent@acme.example>');
    expect(mx.connections).toBe(1);
  });

  it('ends one conversation for a caller who waits for another host, and no second one', async () => {
    const mx = await server(SLOW, { ip: '127.0.0.81' });
    const other = await server({}, { ip: '127.0.0.82', port: mx.port });
    const asking = client(mx.port, { perHost: { ...perHost, connections: 2 }, pacing: createMemoryPacing() });
    const behind = addresses(20).map((recipient) => asking.ask(patient(recipient, mx.ip)));
    await mx.whenSent(/^RCPT/);
    const [observed] = await Promise.all([
      asking.ask(question({ ips: [other.ip] })),
      other.whenSent(/^RCPT/),
    ]);
    expect(observed).toEqual(answered('accepted'));
    // Both could have finished one address each meanwhile, and begun another.
    expect(recipientsOf(mx.lines()).length).toBeLessThanOrEqual(5);
    await Promise.all(behind);
    expect([mx.connections, other.connections]).toEqual([3, 1]);
  });

  it('leaves a tenth of the minute to others', async () => {
    const mx = await server();
    const limits = { connections: 1, perMinute: 10, recipientsPerConnection: 1 };
    const asking = client(mx.port, { perHost: limits, pacing: createMemoryPacing() });
    for (const recipient of addresses(9)) await asking.ask(patient(recipient));
    expect(await asking.ask(patient('tenth@acme.example'))).toEqual({ kind: 'held-back', why: 'per minute' });
    expect(await asking.ask(question())).toEqual(answered('accepted'));
    expect(await asking.ask(question())).toEqual({ kind: 'held-back', why: 'per minute' });
  });
});

describe('a conversation that ends before its next address', () => {
  it.each([
    ['421', { recipientsBefore421: 1, rcpt: [wait(10), '250 OK'] }],
    [
      'a close at RCPT',
      { rcpt: (_: string, { nth }: { nth: number }) => (nth > 1 ? close : [wait(10), '250 OK']) },
    ],
    ['a close after RSET', { ...SLOW, rset: ['250 OK', close] }],
    ['a refused RSET', { ...SLOW, rset: '500 What?' }],
    ['421 after RSET', { ...SLOW, rset: ['250 OK\n421 Bye', close] }],
  ] as const)('gives way to a new one: %s', async (_, script) => {
    const mx = await server(script);
    const asking = client(mx.port, { pacing: countingPacing({ atOnce: 1 }) });
    const observed = await Promise.all(addresses(2).map((recipient) => asking.ask(question({ recipient }))));
    expect(observed).toEqual([answered('accepted'), answered('accepted')]);
    expect(mx.connections).toBe(2);
  });

  it('gives way to one new one only', async () => {
    const rcpt = (recipient: string) => (recipient.startsWith('user1') ? close : [wait(10), '250 OK']);
    const mx = await server({ rcpt });
    const asking = client(mx.port, { pacing: countingPacing({ atOnce: 1 }) });
    const observed = await Promise.all(addresses(2).map((recipient) => asking.ask(question({ recipient }))));
    expect(observed).toEqual([answered('accepted'), { kind: 'closed' }]);
    expect(recipientsOf(mx.lines())).toHaveLength(3);
  });

  it.each<[string, Step]>([
    ['a block', '554 5.7.1 Blocked'],
    ['421', ['421 4.7.0 Bye', close]],
    ['a close', close],
    ['silence', silence],
    ['no SMTP', 'what?'],
    ['a flood', { raw: '550 no\r\n'.repeat(1000) }],
  ])('is not handed over after %s', async (_, reply) => {
    const clock = stopClock();
    const mx = await server({ rcpt: (recipient) => (recipient.startsWith('user0') ? reply : '250 OK') });
    const asking = client(mx.port, { pacing: countingPacing({ atOnce: 1 }) });
    const [first, second] = addresses(2);
    const observed = Promise.all([
      asking.ask(question({ recipient: first!, budgetMs: 200 })),
      asking.ask(question({ recipient: second! })),
    ]);
    await clock.run(observed);
    expect(recipientsOf(mx.lines(1))).toEqual([`RCPT TO:<${first}>`]);
    expect(recipientsOf(mx.lines(2))).toEqual([`RCPT TO:<${second}>`]);
  });

  it('ends the other conversations of its organisation after "slow down"', async () => {
    const rcpt = (recipient: string) =>
      recipient.startsWith('user0') ? '554 5.7.1 Blocked' : [wait(60), '250 OK'];
    const mx = await server({ rcpt });
    const asking = client(mx.port, { pacing: countingPacing({ inAll: 2 }) });
    const observed = await Promise.all(addresses(4).map((recipient) => asking.ask(question({ recipient }))));
    expect(observed.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'held-back', 'held-back']);
    expect(recipientsOf(mx.lines())).toHaveLength(2);
  });
});

it('waits for running conversations when it is closed, and starts no more', async () => {
  const mx = await server({ rcpt: [wait(50), '250 OK'] });
  const asking = client(mx.port);
  const observed = asking.ask(question());
  await mx.whenSent(/^RCPT/);
  await asking.close();
  await mx.whenEmpty();
  expect(await observed).toEqual(answered('accepted'));
  expect(mx.lines().at(-1)).toBe('QUIT');
  expect(await asking.ask(question())).toEqual({ kind: 'held-back', why: 'connections' });
});

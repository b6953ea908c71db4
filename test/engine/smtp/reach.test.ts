import { describe, expect, it } from 'vitest';
import type { Pacing, Slot } from '../../../src/engine/pacing/pacing.ts';
import type { Signal } from '../../../src/engine/signal.ts';
import { isPending, stopClock } from '../world/clock.ts';
import { type MailScript, wait } from '../world/mail-server.ts';
import { answered, ask, client, countingPacing, question, server } from './support.ts';

describe('pacing', () => {
  it('gives a slot before each connection, and gets each back once', async () => {
    const pacing = countingPacing();
    await ask({ starttls: 'refused' }, {}, { pacing });
    expect(pacing.entered.map(({ organisation }) => organisation)).toEqual(['mx.test', 'mx.test']);
    expect(pacing.left).toEqual([false, false]);
  });

  it.each(['paused', 'connections', 'per minute'] as const)('holds back: %s', async (why) => {
    const { observed, mx } = await ask({}, {}, { pacing: countingPacing({ inAll: 0, why }) });
    expect(observed).toEqual({ kind: 'held-back', why });
    expect(mx.connections).toBe(0);
  });

  it.each<[string, MailScript]>([
    ['the banner', { banner: '421 Too many' }],
    ['MAIL', { mail: '421 Too many' }],
    ['RCPT', { rcpt: '554 5.7.1 Blocked' }],
  ])('gets "slow down" at %s', async (_, script) => {
    const pacing = countingPacing();
    await ask(script, {}, { pacing });
    expect(pacing.left).toEqual([true]);
  });

  it('gets the stricter of the limits', async () => {
    const limits: unknown[] = [];
    const pacing = countingPacing();
    const enter: typeof pacing.enter = (id, given, ...rest) => {
      limits.push(given);
      return pacing.enter(id, given, ...rest);
    };
    const organisation = { id: 'microsoft', limits: { connections: 1, perMinute: 5000 } };
    await ask({}, { organisation }, { pacing: { enter } });
    expect(limits).toEqual([expect.objectContaining({ connections: 1, perMinute: 1000 })]);
  });

  it('may use the host’s whole time, and leaves half of the rest for the greeting', async () => {
    const clock = stopClock();
    const first = await server({ rcpt: [wait(150), '250 OK'] }, { ip: '127.0.0.71' });
    const pacing = countingPacing({ atOnce: 1 });
    const asking = client(first.port, { pacing });
    const organisation = { id: 'mx.test', limits: { recipientsPerConnection: 1 } };
    const ips = ['127.0.0.71', '127.0.0.72'];
    const began = asking.ask(question({ ips, organisation }));
    await first.whenSent(/^RCPT/);
    const observed = asking.ask(question({ ips, organisation, greetingMs: 250 }));
    expect(await clock.run(observed)).toEqual(answered('accepted'));
    expect(pacing.entered[1]!.withinMs).toBe(250);
    await began;
  });

  it('ends the wait with the signal, even if pacing does not', async () => {
    const clock = stopClock();
    const pacing = { enter: () => new Promise<never>(() => {}) };
    const observed = client(25, { pacing }).ask(question({ budgetMs: 60 }));
    // Pacing has a moment more to say why.
    await clock.advance(60 + 99);
    expect(await isPending(observed)).toBe(true);
    await clock.advance(1);
    expect(await observed).toEqual({ kind: 'held-back', why: 'connections' });
  });

  it('gets back a slot that it gives too late', async () => {
    const left: boolean[] = [];
    const late = (signal: Signal) =>
      new Promise<Slot>((resolve) => {
        signal.addEventListener('abort', () =>
          resolve({ wanted: 0, leave: (slowDown) => left.push(slowDown) }),
        );
      });
    const pacing: Pacing = { enter: (_id, _limits, _withinMs, signal) => late(signal) };
    stopClock();
    const { observed, mx } = await ask({}, { budgetMs: 60 }, { pacing });
    expect(observed).toEqual({ kind: 'held-back', why: 'connections' });
    expect(left).toEqual([false]);
    expect(mx.connections).toBe(0);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no database'))],
    [
      'throws',
      () => {
        throw new Error('no database');
      },
    ],
  ])('that %s lets no conversation begin', async (_, enter) => {
    expect((await ask({}, {}, { pacing: { enter } })).observed).toEqual({
      kind: 'held-back',
      why: 'connections',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { stopClock } from '../world/clock.ts';
import { silence, wait } from '../world/mail-server.ts';
import { answered, client, question, server } from './support.ts';

describe('several IP addresses of a host', () => {
  const ips = ['127.0.0.61', '127.0.0.62', '127.0.0.63'];

  it('are tried in order until one can be reached', async () => {
    const second = await server({}, { ip: ips[1]! });
    const third = await server({}, { ip: ips[2]!, port: second.port });
    expect(await client(second.port).ask(question({ ips }))).toEqual(answered('accepted'));
    expect([second.connections, third.connections]).toEqual([1, 0]);
  });

  it('each get half of the remaining time', async () => {
    const clock = stopClock();
    const first = await server({ banner: silence }, { ip: ips[0]! });
    const second = await server({ ehlo: silence }, { ip: ips[1]!, port: first.port });
    const third = await server({ banner: [wait(40), '220 hello'] }, { ip: ips[2]!, port: first.port });
    const observed = clock.run(client(first.port).ask(question({ ips, budgetMs: 400 })));
    expect(await observed).toEqual(answered('accepted'));
    expect(clock.at).toBeGreaterThanOrEqual(200 + 100 + 40);
    expect([first, second, third].map(({ connections }) => connections)).toEqual([1, 1, 1]);
  });

  it('report the most informative one', async () => {
    const second = await server({ banner: '554 No' }, { ip: ips[1]! });
    expect(await client(second.port).ask(question({ ips }))).toEqual({
      kind: 'not-welcome',
      slowDown: false,
    });
  });

  it('are skipped after one has said "slow down"', async () => {
    const first = await server({ banner: '421 Too many' }, { ip: ips[0]! });
    const second = await server({}, { ip: ips[1]!, port: first.port });
    expect(await client(first.port).ask(question({ ips }))).toEqual({ kind: 'not-welcome', slowDown: true });
    expect(second.connections).toBe(0);
  });

  it('are not asked after a reply to RCPT, or a refused sender', async () => {
    const first = await server({ rcpt: '550 No' }, { ip: ips[0]! });
    const second = await server({}, { ip: ips[1]!, port: first.port });
    expect(await client(first.port).ask(question({ ips }))).toEqual(answered('refused'));
    first.set({ mail: '550 No' });
    expect(await client(first.port).ask(question({ ips }))).toEqual({
      kind: 'sender-refused',
      slowDown: false,
    });
    expect(second.connections).toBe(0);
  });

  it('are skipped without a local address of their family', async () => {
    const mx = await server();
    const asking = client(mx.port, { localAddresses: ['127.0.0.1'] });
    expect(await asking.ask(question({ ips: ['::1', '127.0.0.1'] }))).toEqual(answered('accepted'));
    expect(await asking.ask(question({ ips: ['::1'] }))).toEqual({ kind: 'unreachable' });
  });
});

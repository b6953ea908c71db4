import { describe, expect, it } from 'vitest';
import { stopClock } from '../world/clock.ts';
import { answered, ask } from './support.ts';

describe('TLS', () => {
  it('starts if the server offers it, with any certificate', async () => {
    const { observed, mx } = await ask({ starttls: 'offered', tlsRequired: true });
    expect(observed).toEqual(answered('accepted'));
    expect(mx.log.map(({ line, tls }) => `${tls ? 'TLS' : '-'} ${line}`)).toEqual([
      '- EHLO verify.example',
      '- STARTTLS',
      'TLS EHLO verify.example',
      'TLS MAIL FROM:<sender@verify.example>',
      'TLS RCPT TO:<jane@acme.example>',
      'TLS RSET',
      'TLS QUIT',
    ]);
  });

  it('works with servers that know only TLS 1.0', async () => {
    const { observed, mx } = await ask({ starttls: 'offered', tlsRequired: true, oldTls: true });
    expect(observed).toEqual(answered('accepted'));
    expect(mx.connections).toBe(1);
  });

  it.each([
    ['its name', 'mx.acme.example', 'mx.acme.example'],
    ['no name for an IP address', '127.0.0.1', undefined],
    ['no name for what is none', 'mx\0 acme', undefined],
  ])('tells the server %s', async (_, name, expected) => {
    const host = { name, ips: ['127.0.0.1'] };
    const { observed, mx } = await ask({ starttls: 'offered' }, { host });
    expect(observed).toEqual(answered('accepted'));
    expect(mx.names).toEqual([expected]);
  });

  it('drops replies that were injected before it', async () => {
    const injectedBeforeTls = '250 injected\r\n250 injected\r\n550 5.1.1 injected\r\n';
    const { observed } = await ask({ starttls: 'offered', injectedBeforeTls });
    expect(observed).toEqual(answered('accepted'));
  });

  it.each(['refused', 'broken', 'closing'] as const)(
    'is left out in a new connection when it is %s',
    async (starttls) => {
      const { observed, mx } = await ask({ starttls });
      expect(observed).toEqual(answered('accepted'));
      expect(mx.connections).toBe(2);
      expect(mx.lines(2).slice(0, 2)).toEqual(['EHLO verify.example', 'MAIL FROM:<sender@verify.example>']);
      expect(mx.log.filter(({ early }) => early)).toEqual([]);
    },
  );

  it('is not tried again after "slow down"', async () => {
    const { observed, mx } = await ask({ starttls: 'busy' });
    expect(observed).toEqual({ kind: 'not-welcome', slowDown: true });
    expect(mx.connections).toBe(1);
  });

  it.each(['hanging', 'mute'] as const)(
    'is left out in a new connection when it is %s, in time',
    async (starttls) => {
      const clock = stopClock();
      const { observed, mx } = await ask({ starttls }, { budgetMs: 400 });
      expect(observed).toEqual(answered('accepted'));
      expect(mx.connections).toBe(2);
      expect(clock.at).toBeGreaterThanOrEqual(200);
    },
  );

  it('is tried only once, so that a server that requires broken TLS refuses the sender', async () => {
    const { observed, mx } = await ask({ starttls: 'broken', tlsRequired: true });
    expect(observed).toEqual({ kind: 'sender-refused', slowDown: false });
    expect(mx.connections).toBe(2);
  });
});

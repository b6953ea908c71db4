import { describe, expect, it } from 'vitest';
import { createSources, nameOfSource } from '../../../src/engine/smtp/sources.ts';

const RECIPIENTS = Array.from({ length: 300 }, (_, index) => `user${index}@acme.example`);

describe('local addresses', () => {
  const sources = createSources(['192.0.2.1', '192.0.2.2', '2001:db8::1', '192.0.2.3'], []);
  const addressFor = (ip: string, recipient: string) => {
    const source = sources.choose(ip, recipient);
    return source?.kind === 'direct' ? source.localAddress : source;
  };

  it('share the recipients evenly', () => {
    const counts = new Map<unknown, number>();
    for (const recipient of RECIPIENTS) {
      const address = addressFor('198.51.100.1', recipient);
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    expect(Math.min(...counts.values())).toBeGreaterThan(60);
  });

  it('stay the same for a recipient, because a greylist remembers them', () => {
    const again = createSources(['192.0.2.1', '192.0.2.2', '2001:db8::1', '192.0.2.3'], []);
    for (const recipient of RECIPIENTS) {
      expect(again.choose('198.51.100.9', recipient.toUpperCase())).toEqual(
        sources.choose('198.51.100.1', recipient),
      );
    }
  });

  it('are of the family of the IP address', () => {
    expect(addressFor('2001:db8::2', 'jane@acme.example')).toBe('2001:db8::1');
    expect(createSources(['192.0.2.1'], []).choose('2001:db8::2', 'jane@acme.example')).toBeUndefined();
  });

  it('are left to the system if there are none', () => {
    expect(createSources([], []).choose('192.0.2.1', '')).toEqual({
      kind: 'direct',
      localAddress: undefined,
    });
  });

  it('must be IP addresses', () => {
    expect(() => createSources(['192.0.2.1', 'localhost'], [])).toThrow(/localAddresses, at position 2/);
  });
});

describe('proxies', () => {
  it.each([
    ['socks5://proxy.example', { host: 'proxy.example', port: 1080, user: undefined, password: undefined }],
    ['socks5://proxy.example:9050/', { host: 'proxy.example', port: 9050 }],
    ['socks5://[2001:db8::1]:9050', { host: '2001:db8::1', port: 9050, name: '[2001:db8::1]:9050' }],
    ['socks5://jane:a%3Ab@proxy.example', { user: 'jane', password: 'a:b', name: 'proxy.example:1080' }],
  ])('are read from %s', (url, expected) => {
    expect(createSources([], [url]).choose('192.0.2.1', '')).toMatchObject({
      kind: 'proxy',
      proxy: expected,
    });
  });

  it.each([
    'http://jane:hidden@proxy.example:1080',
    'socks5://jane:hidden@',
    'socks5://jane:hidden%E0%@proxy.example',
    `socks5://jane:hidden${'x'.repeat(300)}@proxy.example`,
    'socks5://jane:hidden@proxy.example/path',
    'jane:hidden',
  ])('are refused without quoting the password: %s', (url) => {
    expect(() => createSources([], [url])).toThrow(/^Expected ((?!hidden).)* at position 1\.$/);
  });

  it('are told apart without their passwords', () => {
    const source = createSources([], ['socks5://jane:hidden@proxy.example']).choose('192.0.2.1', '')!;
    expect(nameOfSource(source)).toBe('proxy proxy.example:1080');
  });
});

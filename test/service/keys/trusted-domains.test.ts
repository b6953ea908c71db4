import { describe, expect, it } from 'vitest';
import { domainsOfOrigin, trustDomains } from '../../../src/service/keys/trusted-domains.ts';

const trusts = (origin: string) =>
  trustDomains(['Shop.example', 'bücher.example', 'localhost', '127.0.0.1', '::1', 'no host'])(origin);

describe('a trusted origin', () => {
  it.each([
    'https://shop.example',
    'http://shop.example:8080',
    'https://www.shop.example',
    'https://a.b.shop.example:444',
    'HTTPS://WWW.SHOP.EXAMPLE',
    'https://shop.example.',
    'https://xn--bcher-kva.example',
    'http://localhost',
    'http://localhost:3000',
    'http://127.0.0.1:5173',
    'http://[::1]:8080',
  ])('%s', (origin) => {
    expect(trusts(origin)).toBe(true);
  });
});

describe('no trusted origin', () => {
  it.each([
    '',
    'null',
    'shop.example',
    'https://shop.example.evil.test',
    'https://evilshop.example',
    'https://shop-example',
    'https://example',
    'https://shop.example@evil.test',
    'https://evil.test/shop.example',
    'https://evil.test#shop.example',
    'https://evil.test\\shop.example',
    'https://evil.test, https://shop.example',
    'https://shop.example/',
    'https://www.localhost',
    'https://localhost.evil.test',
    'http://1.127.0.0.1',
    'http://127.0.0.11',
    'http://www.127.0.0.1',
    'http://www.[::1]',
    'http://no',
    'http://[::2]',
    'file://',
    'file://localhost',
    'chrome-extension://shop.example',
    'moz-extension://localhost',
    'capacitor://localhost',
    'web+app.1-x://shop.example',
    'about:blank',
    'https://',
    '://shop.example',
    '1https://shop.example',
    'https:/shop.example',
    'x https://shop.example',
    'https://shop.example ',
    'https://[shop.example]',
    'https://.',
    'https://..',
    'https://shop..example',
    'https://.shop.example',
    'http://1.[::1]',
  ])('%s', (origin) => {
    expect(trusts(origin)).toBe(false);
  });
});

it.each([
  ['a.shop.example', ['a.shop.example', 'shop.example', 'example']],
  ['localhost', ['localhost']],
  ['a.localhost', ['a.localhost']],
  ['192.0.2.1', ['192.0.2.1']],
  ['[2001:db8::1]', ['[2001:db8::1]']],
])('looks for the domains of %s', (host, domains) => {
  expect(domainsOfOrigin(`https://${host}:8443`)).toEqual(domains);
});

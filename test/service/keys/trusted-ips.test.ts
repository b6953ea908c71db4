import { describe, expect, it } from 'vitest';
import { isIpOrRange, trustIps, unmapIp } from '../../../src/service/keys/trusted-ips.ts';

const trusts = (ip: string) => trustIps(['192.0.2.1', '10.0.0.0/8', '2001:db8::1', '2001:db8:1::/48'])(ip);

it.each([
  '192.0.2.1',
  '::ffff:192.0.2.1',
  '::FFFF:10.1.1.1',
  '10.200.3.4',
  '2001:db8::1',
  '2001:0db8:0::1',
  '2001:db8:1:2::3',
])('%s is trusted', (ip) => {
  expect(trusts(ip)).toBe(true);
});

it.each([
  '192.0.2.2',
  '11.0.0.0',
  '2001:db8::2',
  '2001:db8:2::',
  '::192.0.2.1',
  '192.0.2.1x',
  'localhost',
  '',
])('"%s" is not trusted', (ip) => {
  expect(trusts(ip)).toBe(false);
});

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:198.51.100.123', '198.51.100.123'],
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '::ffff:c000:201'],
  ['1::ffff:192.0.2.1', '1::ffff:192.0.2.1'],
  ['::ffff:192.0.2.1%1', '::ffff:192.0.2.1%1'],
])('%s is counted as %s', (ip, plain) => {
  expect(unmapIp(ip)).toBe(plain);
});

describe('the list of trusted addresses', () => {
  it.each([
    '192.0.2.1',
    '192.0.2.0/24',
    '0.0.0.0/0',
    '192.0.2.1/32',
    '2001:db8::1',
    '2001:db8::/33',
    '::/0',
    '::1/128',
  ])('takes %s', (entry) => {
    expect(isIpOrRange(entry)).toBe(true);
  });

  it.each([
    '',
    '/8',
    'shop.example',
    '192.0.2',
    '192.0.2.0/33',
    '192.0.2.0/',
    '192.0.2.0/8/8',
    '192.0.2.0/192.0.2.0/8',
    '192.0.2.0/8x',
    '192.0.2.0/-1',
    '192.0.2.0/0008',
    '::1/129',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
  ])('does not take "%s"', (entry) => {
    expect(isIpOrRange(entry)).toBe(false);
  });
});

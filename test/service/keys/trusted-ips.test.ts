import { expect, it } from 'vitest';
import { trustIps } from '../../../src/service/keys/trusted-ips.ts';

const trusts = (ip: string) => trustIps(['192.0.2.1', '10.0.0.0/8', '2001:db8::1', '2001:db8:1::/48'])(ip);

const V4 = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:10.1.1.1', '10.200.3.4'];
it.each([...V4, '2001:db8::1', '2001:0db8:0::1', '2001:db8:1:2::3'])('trusts %s', (ip) => {
  expect(trusts(ip)).toBe(true);
});

const OTHERS = ['192.0.2.2', '11.0.0.0', '2001:db8::2', '2001:db8:2::', '::192.0.2.1'];
it.each([...OTHERS, '192.0.2.1x', 'localhost', ''])('does not trust "%s"', (ip) => {
  expect(trusts(ip)).toBe(false);
});

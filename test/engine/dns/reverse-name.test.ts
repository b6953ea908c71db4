import { expect, it } from 'vitest';
import { reverseName } from '../../../src/engine/dns/reverse-name.ts';

it.each([
  ['192.0.2.10', '10.2.0.192.in-addr.arpa'],
  ['2001:db8::1', '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
])('names %s in reverse', (ip, name) => {
  expect(reverseName(ip)).toBe(name);
});

it.each(['', 'mail.example', '192.0.2', '0x7f.1'])('has no name for "%s"', (text) => {
  expect(reverseName(text)).toBeUndefined();
});

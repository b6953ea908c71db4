import { expect, it } from 'vitest';
import { contactable, isPublicIp } from '../../src/shared/public-ip.ts';

it.each([
  '8.8.8.8',
  '93.184.216.34',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81a::1b',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('takes %s for public', (ip) => {
  expect(isPublicIp(ip)).toBe(true);
});

it.each([
  ['this network', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['shared', '100.64.0.1'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local', '169.254.0.1'],
  ['metadata', '169.254.169.254'],
  ['metadata at Azure', '168.63.129.16'],
  ['metadata at Alibaba', '100.100.100.200'],
  ['metadata at Oracle', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['benchmarks', '198.18.0.1'],
  ['6to4 relays', '192.88.99.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['loopback, in full', '0:0:0:0:0:0:0:1'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['public with a zone', '2606:4700:4700::1111%eth0'],
  ['site-local', 'fec0::1'],
  ['unique local', 'fc00::1'],
  ['metadata at Amazon', 'fd00:ec2::254'],
  ['multicast', 'ff02::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['discard', '100::1'],
  ['not given out', '4000::1'],
  ['mapped private', '::ffff:10.0.0.1'],
  ['mapped loopback', '::ffff:7f00:1'],
  ['mapped loopback, in full', '0:0:0:0:0:ffff:127.0.0.1'],
  ['mapped metadata', '::ffff:169.254.169.254'],
  ['compatible loopback', '::127.0.0.1'],
  ['compatible public', '::8.8.8.8'],
  ['compatible public, in full', '0:0:0:0:0:0:8.8.8.8'],
  ['compatible public, in hexadecimal', '::808:808'],
  ['translated (RFC 6145)', '::ffff:0:127.0.0.1'],
  ['NAT64 to private', '64:ff9b::10.0.0.1'],
  ['NAT64 to loopback', '64:ff9b::7f00:1'],
  ['NAT64 for local use', '64:ff9b:1::8.8.8.8'],
  ['6to4 from private', '2002:a00:1::1'],
  ['6to4 from loopback', '2002:7f00:1::1'],
  ['6to4 from metadata', '2002:a9fe:a9fe::1'],
  ['Teredo', '2001:0:808:808:0:0:f5ff:fffe'],
])('takes %s for not public: %s', (_, ip) => {
  expect(isPublicIp(ip)).toBe(false);
});

it.each([
  '',
  ' ',
  'localhost',
  '8.8.8',
  '8.8.8.8.8',
  '8.8.8.8 ',
  ' 8.8.8.8',
  '8.8.8.8/32',
  '8.8.8.8:25',
  '8.8.8.256',
  '127.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '0177.0.0.1',
  '010.010.010.010',
  '2130706433',
  '017700000001',
  '[::1]',
  '[2606:4700:4700::1111]',
  '2606:4700:4700:::1111',
  '2606:4700:4700::1111::',
  '1:2:3:4:5:6:7:8:9',
  '::ffff:8.8.8',
  '８.８.８.８',
  '8.8.8.8\u0000',
  '8。8。8。8',
])('takes "%s" for not public, because it is not one complete IP address', (text) => {
  expect(isPublicIp(text)).toBe(false);
});

it('contacts private IP addresses only where they are allowed', () => {
  expect(contactable(true)('127.0.0.1')).toBe(true);
  expect(contactable(false)('127.0.0.1')).toBe(false);
  expect(contactable(false)('8.8.8.8')).toBe(true);
});

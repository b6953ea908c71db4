import { describe, expect, it } from 'vitest';
import { readReceiverUrl } from '../../../src/service/webhooks/receiver-url.ts';
import { PRIVATE_HOSTS } from './private-hosts.ts';

const PUBLIC = { allowPrivateAddresses: false, refusedNetworks: [] };
const ANY = { allowPrivateAddresses: true, refusedNetworks: [] };

it.each([
  'https://shop.example/hook?a=b',
  'http://shop.example:8080/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
])('takes %s', (url) => {
  expect(readReceiverUrl(url, PUBLIC)).toBe(url);
});

describe('refuses', () => {
  it.each([
    'ftp://shop.example/',
    'shop.example/hook',
    '/hook',
    '',
    'javascript:alert(1)',
    `https://shop.example/${'a'.repeat(2_000)}`,
    'https://user@shop.example/',
    'https://:secret@shop.example/',
    'http://localhost./',
    'http://LOCALHOST:80/',
    'http://127.0.0.1./',
    'http://0/',
    ...PRIVATE_HOSTS.map((host) => `http://${host}/`),
    // Public, but the agent that sends callbacks refuses them.
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::808:808]/',
  ])('%s', (url) => {
    expect(() => readReceiverUrl(url, PUBLIC)).toThrow(/^Expected url to be /);
  });
});

it('takes a private address if the operator allows it, and nothing else more', () => {
  expect(readReceiverUrl('http://127.0.0.1:8009/', ANY)).toBe('http://127.0.0.1:8009/');
  expect(() => readReceiverUrl('ftp://127.0.0.1/', ANY)).toThrow('url');
  expect(() => readReceiverUrl('http://a:b@127.0.0.1/', ANY)).toThrow('url');
});

it.each([22, 25, 465, 6000, 6379, 11_211])('refuses the port %s, even on a private address', (port) => {
  const message = `Expected url to be a URL with a port for HTTP, got the port ${port}.`;
  for (const rules of [PUBLIC, ANY])
    for (const host of ['shop.example', '8.8.8.8'])
      expect(() => readReceiverUrl(`http://${host}:${port}/`, rules)).toThrow(message);
});

it('refuses the networks that the operator refuses, in any notation', () => {
  const refusedNetworks = ['8.8.8.0/24', '2606:4700::/32', '10.1.0.0/16'];
  for (const allowPrivateAddresses of [true, false]) {
    const rules = { allowPrivateAddresses, refusedNetworks };
    for (const host of [
      ...['8.8.8.8', '134744072', '0x8.0x8.0x808', '8.8.8.8.', '[2606:4700::1111]', '10.1.2.3'],
      ...['[::ffff:8.8.8.8]', '[64:ff9b::808:808]', '[2002:808:808::1]'],
    ])
      expect(() => readReceiverUrl(`http://${host}/`, rules), host).toThrow('Expected url to be a URL on');
    for (const host of ['8.8.4.4', '[2001:4860:4860::8888]'])
      expect(readReceiverUrl(`http://${host}/`, rules)).toBe(`http://${host}/`);
  }
});

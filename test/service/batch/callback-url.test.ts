import { describe, expect, it } from 'vitest';
import { readCallbackUrl } from '../../../src/service/batch/callback-url.ts';

it.each([
  'https://shop.example/hook?a=b',
  'http://shop.example:8080/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
])('takes %s', (url) => {
  expect(readCallbackUrl(url, false)).toBe(url);
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
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST:80/',
    'http://a.localhost/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://0.0.0.0/',
    'http://0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
  ])('%s', (url) => {
    expect(() => readCallbackUrl(url, false)).toThrow(/^Expected url to be /);
  });
});

it('takes a private address if the operator allows it, and nothing else more', () => {
  expect(readCallbackUrl('http://127.0.0.1:9/', true)).toBe('http://127.0.0.1:9/');
  expect(() => readCallbackUrl('ftp://127.0.0.1/', true)).toThrow('url');
  expect(() => readCallbackUrl('http://a:b@127.0.0.1/', true)).toThrow('url');
});

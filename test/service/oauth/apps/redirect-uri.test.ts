import { expect, it } from 'vitest';
import {
  addToQuery,
  OUT_OF_BAND,
  whyNotRedirectUri,
} from '../../../../src/service/oauth/apps/redirect-uri.ts';

it.each([
  'https://app.example',
  'https://app.example/callback?keep=1',
  'https://app.example:8443/a%20b',
  'http://127.0.0.1:51234/callback',
  'http://[::1]:8080/',
  'http://localhost/',
  'http://localhost:3000/cb',
  'com.example.app:/cb',
  'com.example.app://cb/x',
  OUT_OF_BAND,
])('takes %s', (uri) => {
  expect(whyNotRedirectUri(uri)).toBeUndefined();
});

it.each([
  ['', 'absolute'],
  ['/callback', 'absolute'],
  ['app.example/callback', 'absolute'],
  ['//app.example/', 'absolute'],
  ['https://', 'absolute'],
  // Browsers stay on the page's own host.
  ['https:app.example/callback', 'absolute'],
  ['HTTPS:/app.example/callback', 'absolute'],
  ['https:///app.example/callback', 'absolute'],
  ['http:localhost/callback', 'absolute'],
  ['https://app.example/a b', 'absolute'],
  ['https://app.example\\@evil.example/', 'absolute'],
  ['https://app.example/\n', 'absolute'],
  ['https://app.example/ü', 'absolute'],
  ['https://app.example/"><script>', 'absolute'],
  ['https://app.example/#', 'fragment'],
  ['https://app.example/#x', 'fragment'],
  ['https://user@app.example/', 'user name'],
  ['https://:pass@app.example/', 'user name'],
  ['http://app.example/', 'https:'],
  ['http://localhost.evil.example/', 'https:'],
  ['http://192.0.2.1/', 'https:'],
  ['javascript:alert(1)', 'dot'],
  ['data:text/html,x', 'dot'],
  ['file:///etc/passwd', 'dot'],
  ['myapp:/cb', 'dot'],
  ['urn:ietf:wg:oauth:2.0:oob:auto', 'dot'],
  [`https://app.example/${'a'.repeat(2000)}`, '2000'],
])('refuses %j', (uri, named) => {
  expect(whyNotRedirectUri(uri)).toContain(named);
});

it('escapes what it adds', () => {
  expect(addToQuery('https://app.example/', { state: '&a=b#c d' })).toBe(
    'https://app.example/?state=%26a%3Db%23c+d',
  );
});

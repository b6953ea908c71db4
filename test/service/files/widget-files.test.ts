import { describe, expect, it } from 'vitest';
import { startService } from '../testing.ts';

const SCRIPT = `globalThis.words = ${JSON.stringify('words '.repeat(200))};`;
const widgetFiles = [
  { path: 'widget.js', content: Buffer.from(SCRIPT) },
  { path: 'widget.js.map', content: Buffer.from('{}') },
  { path: 'index.js', content: Buffer.from('export {};') },
  { path: 'locales/de.js', content: Buffer.from('emailVerify();') },
  { path: 'locales/de.mjs', content: Buffer.from('export default {};') },
];

const get = (url: string, headers: Record<string, string> = {}) =>
  startService({ widgetFiles }).ask({ url, headers });

describe('the script', () => {
  it.each(['/v2', '/v2/', '/v2/widget.js'])('is at %s for every page', async (url) => {
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, body]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': expect.stringMatching(/^public, max-age=(\d+)$/),
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      // For developers: the script itself does not name it.
      sourcemap: '/v2/widget.js.map',
    });
    expect(Number(/max-age=(\d+)/.exec(headers['cache-control']!)?.[1])).toBeLessThanOrEqual(86_400);
  });

  it('has an address for each release, which never changes', async () => {
    const early = [{ path: 'widget.js', content: Buffer.from('early();') }];
    const service = startService({ widgetFiles, widgetReleases: { '2.0.0': early, '2.1.0': widgetFiles } });
    const bodies = new Map<string, string>();
    for (const url of ['/v2.0.0', '/v2.0.0/', '/v2.0.0/widget.js', '/v2.1.0/', '/v2.1.0/locales/de.js']) {
      const { statusCode, headers, body } = await service.ask({ url });
      expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers['access-control-allow-origin']).toBe('*');
      bodies.set(url, body);
    }
    expect([...bodies.values()]).toEqual(['early();', 'early();', 'early();', SCRIPT, 'emailVerify();']);
    expect((await service.ask({ url: '/v2.2.0/' })).statusCode).toBe(404);
    expect((await service.ask({ url: '/v2/' })).headers['cache-control']).not.toContain('immutable');
  });

  it('has the face of each version, which a script from a browser’s cache names', async () => {
    const face = 'email-verify-widget-status.js';
    const build = (text: string) => [
      { path: 'widget.js', content: Buffer.from(`${text} script`) },
      { path: face, content: Buffer.from(`${text} face`) },
    ];
    const service = startService({
      widgetFiles: build('present'),
      widgetVersion: '2.1.0',
      widgetReleases: { '2.0.0': build('early') },
    });
    for (const [url, expected] of [
      [`/v2/${face}`, 'present face, public, max-age=3600'],
      [`/v2/${face}?v=2.0.0`, 'early face, public, max-age=31536000, immutable'],
      [`/v2/${face}?v=2.1.0`, 'present face, no-cache'],
      [`/v2.0.0/${face}?v=2.0.0`, 'early face, public, max-age=31536000, immutable'],
      [`/v2.1.0/${face}`, 'present face, no-cache'],
    ]) {
      const { body, headers } = await service.ask({ url: url! });
      expect([url, `${body}, ${headers['cache-control']}`]).toEqual([url, expected]);
    }
    // Another version's file would not have the hash that the script expects.
    expect((await service.ask({ url: `/v2/${face}?v=1.9.0` })).statusCode).toBe(404);
  });

  it.each([
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['identity;q=1, br;q=0.5', undefined],
    ['', undefined],
    ['nonsense;q=x', undefined],
  ])('weighs "Accept-Encoding: %s"', async (accept, encoding) => {
    expect((await get('/v2/', { 'accept-encoding': accept })).headers['content-encoding']).toBe(encoding);
  });

  it('is not sent again to a browser that has it', async () => {
    const { headers } = await get('/v2/', { 'accept-encoding': 'br' });
    const seen = { 'accept-encoding': 'br', 'if-none-match': `"other", W/${headers.etag}` };
    const again = await get('/v2/', seen);
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(again.headers).toMatchObject({
      etag: headers.etag,
      vary: 'Accept-Encoding',
      'cache-control': headers['cache-control'],
      'access-control-allow-origin': '*',
    });
    expect((await get('/v2/', { 'if-none-match': headers.etag as string })).statusCode).toBe(200);
  });

  it('has its module, its map and its locales beside it', async () => {
    for (const path of ['widget.js.map', 'index.js', 'locales/de.js', 'locales/de.mjs']) {
      expect((await get(`/v2/${path}`)).statusCode).toBe(200);
    }
    expect((await get('/v2/locales/fr.js')).statusCode).toBe(404);
  });

  it.each(['locales/de.js', 'locales/de.mjs'])('has its texts in %s sent as it is itself', async (path) => {
    const { 'content-length': _, etag, date, sourcemap, ...script } = (await get('/v2/')).headers;
    expect((await get(`/v2/${path}`)).headers).toMatchObject(script);
  });

  it('is not there to be written', async () => {
    const answer = await startService({ widgetFiles }).ask({ method: 'PUT', url: '/v2/' });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

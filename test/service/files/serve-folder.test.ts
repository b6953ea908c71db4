import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveFolder } from '../../../src/service/files/serve-folder.ts';
import { createFolder } from '../../folder.ts';
import { startService } from '../testing.ts';

const { path: outside, write } = createFolder();
const demoFolder = join(outside, 'demo');
const secret = write('secret.html', 'secret');
write('demo/index.html', '<!doctype html>');
write('demo/style.css', 'a {}');
write('demo/notes.md', 'notes');
write('demo/.hidden.html', 'hidden');
write('demo/.git/config.json', '{}');
write('demo/pages/index.html', 'pages');
symlinkSync(secret, join(demoFolder, 'link.html'));

const get = (url: string, headers: Record<string, string> = {}) =>
  startService({ demoFolder }).ask({ url, headers });

describe('the demo', () => {
  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/index.html', 'text/html; charset=utf-8'],
    ['/style.css?v=1', 'text/css; charset=utf-8'],
    ['/pages/', 'text/html; charset=utf-8'],
  ])('serves %s', async (url, type) => {
    const { statusCode, headers } = await get(url);
    expect([statusCode, headers['content-type']]).toEqual([200, type]);
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    expect((await get(url, { 'if-none-match': headers.etag as string })).statusCode).toBe(304);
  });

  it('leads to a folder’s own page, also below the path of a reverse proxy', async () => {
    const { statusCode, headers } = await get('/pages?x=1');
    const leadsTo = (from: string) => new URL(headers.location as string, from).href;
    expect(statusCode).toBe(302);
    expect(leadsTo('https://x.example/pages?x=1')).toBe('https://x.example/pages/');
    expect(leadsTo('https://x.example/verify/pages?x=1')).toBe('https://x.example/verify/pages/');
  });

  it.each([
    '/nothing.html',
    '/notes.md',
    '/.hidden.html',
    '/.git/config.json',
    '/link.html',
    '/../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '/..%5csecret.html',
    '/pages/..%2f..%2fsecret.html',
    '//index.html',
    '/index.html%00',
    '/index.html/',
    '/v1/nothing',
    '/constructor',
  ])('has nothing at %s', async (url) => {
    const answer = await get(url);
    const message = 'This URL does not exist. Check its spelling.';
    expect([answer.statusCode, answer.json()]).toEqual([404, { message }]);
  });

  it('brings what others have made at an address of its own', async () => {
    const demoLibraries = join(demoFolder, 'pages');
    const service = startService({ demoFolder, demoLibraries });
    expect((await service.ask({ url: '/libraries/index.html' })).body).toBe('pages');
    expect((await service.ask({ url: '/libraries/style.css' })).statusCode).toBe(404);
  });

  it('completes a page again after that failed', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    let tries = 0;
    const apply = (text: string) => {
      tries++;
      if (tries === 1) throw new Error('not yet');
      return `${text} completed`;
    };
    serveFolder(app, '/demo', demoFolder, {}, { version: '1', apply });
    expect((await app.inject('/demo/')).statusCode).toBe(500);
    expect((await app.inject('/demo/')).body).toBe('<!doctype html> completed');
    expect((await app.inject('/demo')).headers.location).toBe('demo/');
  });

  it('is not there without its folder', async () => {
    expect((await startService().ask({ url: '/' })).statusCode).toBe(404);
  });
});

/** The pages that a start from the sources still makes: what stands in for them, and that they come by themselves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDocs } from '../../../docs/site/make.ts';
import { createService, type ServiceOptions } from '../../../src/service/app/web.ts';
import { KEYS } from '../testing.ts';

/** A build that tests let succeed or fail. */
function later() {
  const build = { succeed: () => {}, fail: (_reason: Error) => {} };
  const made = new Promise<void>((resolve, reject) => {
    build.succeed = resolve;
    build.fail = reject;
  });
  made.catch(() => {});
  return { ...build, made };
}

function open(options: Partial<ServiceOptions>) {
  const app = createService({ keys: KEYS, ...options });
  onTestFinished(() => app.close());
  return (url: string) => app.inject({ url, headers: { accept: 'text/html' } });
}

function openWithDocs() {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const build = later();
  return { ...build, folder, get: open({ docs: { folder, made: build.made } }) };
}

const REFRESH = /<meta http-equiv="refresh" content="(\d+)">/;

it.each([
  '/docs',
  '/docs/',
  '/docs/api/',
  '/docs/start/',
  '/docs/search?q=key',
  '/docs/nowhere',
  '/docs/assets/docs.css',
  '/docs/openapi.json',
])('says at %s that the page is being made, and loads again by itself, without a script', async (url) => {
  const { get } = openWithDocs();
  const { statusCode, headers, body } = await get(url);
  expect([statusCode, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
  expect(headers['cache-control']).toBe('no-store');
  expect(body).toContain('<h1>This page is being made</h1>');
  expect(body).not.toContain('<script');
  expect(REFRESH.exec(body)?.[1]).toBe(headers['retry-after']);
});

it('serves the pages as soon as they are there', async () => {
  const { get, folder, succeed } = openWithDocs();
  await get('/docs/start/');
  expect(await makeDocs(folder)).toEqual([]);
  // What is there counts only when it is whole.
  expect((await get('/docs/start/')).statusCode).toBe(503);
  succeed();
  for (const url of ['/docs/', '/docs/start/', '/docs/api/', '/docs/search?q=key', '/docs/assets/docs.css']) {
    const { statusCode, body } = await get(url);
    expect([url, statusCode, REFRESH.test(body)]).toEqual([url, 200, false]);
  }
});

it('says that the pages could not be made, does not load again, and serves all else', async () => {
  const { get, fail } = openWithDocs();
  fail(new Error('docs/secret.md:3: a dead link'));
  const { statusCode, headers, body } = await get('/docs/start/');
  expect([statusCode, headers['retry-after'], REFRESH.test(body)]).toEqual([503, undefined, false]);
  expect(body).toContain('<h1>This page could not be made</h1>');
  expect(body).not.toContain('secret');
  expect((await get('/healthz')).statusCode).toBe(200);
});

it('links to the pages while they are being made', async () => {
  const { get } = openWithDocs();
  expect((await get('/nowhere')).body).toContain('href="/docs/"');
});

it('holds the reference of the module back in the same way', async () => {
  const { made, succeed } = later();
  // Any folder of pages.
  const get = open({ referenceFolder: 'demo', referenceMade: made });
  expect((await get('/reference/')).body).toContain('<h1>This page is being made</h1>');
  expect((await get('/reference')).statusCode).toBe(503);
  succeed();
  await made;
  expect((await get('/reference/')).statusCode).toBe(200);
});

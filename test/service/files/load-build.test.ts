import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadBuild, loadReleases } from '../../../src/service/files/load-build.ts';
import { createFolder } from '../../folder.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { freePath } from '../support/room.ts';
import { startService } from '../testing.ts';

const NEVER_CHANGES = 'public, max-age=31536000, immutable';
const ASK_AT_EACH_USE = 'no-cache';

const integrityOf = (version: string, hash: string) =>
  JSON.stringify({ version, integrity: { 'widget.js': hash } });

const BUILD = {
  'widget.js': 'present();',
  'widget.js.map': '{}',
  'index.js': 'export {};',
  'index.d.ts': 'export {};',
  'integrity.json': integrityOf('2.1.0', 'sha384-present'),
  'locales/de.js': 'locale();',
  'captcha/turnstile.mjs': 'export {};',
  'service/main.js': 'service();',
};

/** Starts a service on folders with these files. */
function serve(dist: Readonly<Record<string, string>>, releases: Readonly<Record<string, string>> = {}) {
  const { path: root, write } = createFolder(onTestFinished);
  for (const [folder, files] of Object.entries({ dist, releases }))
    for (const [path, content] of Object.entries(files)) write(join(folder, path), content);
  const build = loadBuild(join(root, 'dist'))!;
  const service = startService({
    widgetFiles: build.files,
    widgetVersion: build.version,
    widgetReleases: loadReleases(join(root, 'releases'), build),
  });
  return async (url: string) => {
    const { statusCode, headers, body } = await service.ask({ url });
    return { status: statusCode, body, cached: headers['cache-control'], etag: headers.etag };
  };
}

it('has no build in a folder that is empty or not there', () => {
  expect(loadBuild('/nowhere')).toBeUndefined();
});

it('serves the files that pages load, and no others', async () => {
  const get = serve(BUILD);
  const more = ['widget.js.map', 'index.js', 'integrity.json', 'locales/de.js', 'captcha/turnstile.mjs'];
  for (const path of ['', ...more]) {
    expect((await get(`/v2/${path}`)).status).toBe(200);
    expect((await get(`/v2.1.0/${path}`)).status).toBe(200);
  }
  for (const path of ['index.d.ts', 'service/main.js']) expect((await get(`/v2/${path}`)).status).toBe(404);
});

it('lets no browser keep a build for ever that has not been released', async () => {
  const get = serve(BUILD, { '2.0.0/widget.js': 'early();' });
  const etag = expect.stringMatching(/^".+"$/);
  expect(await get('/v2.1.0/')).toEqual({ status: 200, body: 'present();', cached: ASK_AT_EACH_USE, etag });
  expect(await get('/v2.0.0/')).toMatchObject({ body: 'early();', cached: NEVER_CHANGES });
});

it('serves a released version as it was, although the build has changed since', async () => {
  const get = serve(BUILD, { '2.1.0/widget.js': 'released();' });
  expect(await get('/v2.1.0/')).toMatchObject({ body: 'released();', cached: NEVER_CHANGES });
  expect(await get('/v2/')).toMatchObject({ body: 'present();', cached: 'public, max-age=3600' });
});

it('lets browsers keep the present build if its integrity is recorded as released', async () => {
  const get = serve(BUILD, { '2.1.0/integrity.json': BUILD['integrity.json'] });
  expect(await get('/v2.1.0/')).toMatchObject({ body: 'present();', cached: NEVER_CHANGES });
});

it('lets no browser keep a build whose version is released with another integrity', async () => {
  const get = serve(BUILD, { '2.1.0/integrity.json': integrityOf('2.1.0', 'sha384-another') });
  expect((await get('/v2.1.0/')).cached).toBe(ASK_AT_EACH_USE);
});

it('makes no release of the present build by the record of another version', async () => {
  const record = BUILD['integrity.json'];
  const get = serve(BUILD, { '2.0.0/integrity.json': record, 'notes/integrity.json': record });
  expect((await get('/v2.1.0/')).cached).toBe(ASK_AT_EACH_USE);
  for (const path of ['/v2.0.0/', '/vnotes/']) expect((await get(path)).status).toBe(404);
});

it.each(['debug.mjs', 'email-verify-widget-debug.js'])(
  'serves the debug file as %s if there is one',
  async (name) => {
    const get = serve({ ...BUILD, [name]: 'debug();' });
    for (const url of [`/v2/${name}`, `/v2.1.0/${name}`])
      expect(await get(url)).toMatchObject({ status: 200, body: 'debug();' });
    const without = serve(BUILD);
    expect((await without(`/v2/${name}`)).status).toBe(404);
  },
);

describe('a build whose widget is still being made', () => {
  const { 'widget.js': script, 'widget.js.map': _map, 'integrity.json': _integrity, ...there } = BUILD;

  /** @returns what the service answers, and how the build ends */
  function serveUnfinished() {
    const { path: root, write } = createFolder(onTestFinished);
    for (const [path, content] of Object.entries(there)) write(path, content);
    const { promise: made, resolve: succeed, reject: fail } = withResolvers();
    made.catch(() => {});
    const build = loadBuild(root, { version: '2.1.0', made })!;
    const { ask } = startService({
      widgetFiles: build.files,
      widgetVersion: build.version,
      widgetReleases: loadReleases(freePath(), build),
    });
    return { ask, write, succeed, fail };
  }

  it('lets requests for the widget wait until it is there, and answers all others', async () => {
    const { ask, write, succeed } = serveUnfinished();
    const waiting = ['/v2/', '/v2.1.0/widget.js', '/v2/integrity.json'].map((url) => ask({ url }));
    expect((await ask({ url: '/v2/locales/de.js' })).body).toBe(BUILD['locales/de.js']);
    write('widget.js', script);
    write('integrity.json', BUILD['integrity.json']);
    succeed();
    const answers = await Promise.all(waiting);
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [200, script],
      [200, script],
      [200, BUILD['integrity.json']],
    ]);
    const etag = expect.stringMatching(/^".+"$/);
    expect(answers[0]!.headers).toMatchObject({ 'cache-control': 'public, max-age=3600', etag });
    expect(answers[1]!.headers['cache-control']).toBe(ASK_AT_EACH_USE);
  });

  it('serves no widget of an older build meanwhile', async () => {
    const { ask, write, succeed } = serveUnfinished();
    write('widget.js', 'older();');
    const waiting = ask({ url: '/v2/' });
    await ask({ url: '/v2/locales/de.js' });
    write('widget.js', script);
    succeed();
    expect((await waiting).body).toBe(script);
  });

  it('answers 503, and keeps nothing, if the widget cannot be made', async () => {
    const { ask, fail } = serveUnfinished();
    const waiting = ask({ url: '/v2/' });
    fail(new Error('src/widget/main.ts:3: Expected ";"'));
    const { statusCode, headers, body } = await waiting;
    expect([statusCode, headers['cache-control']]).toEqual([503, 'no-store']);
    const message = 'This service could not build this file. Its operator finds the reason in the log.';
    expect(JSON.parse(body)).toEqual({ message });
  });
});

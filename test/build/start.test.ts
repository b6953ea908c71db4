/** `npm start`: what it builds before the service runs, what beside it, and what becomes of a build that is cut off. */
import { cpSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { freePath } from '../service/support/room.ts';
import { openCheckout } from './checkout.ts';

// Several processes, some of them at a low priority.

const PAGES = ['docs', 'reference'];
const ALL = ['programs', 'scripts', 'widget', 'listen', ...PAGES];

let built: Promise<string> | undefined;
/** A copy of a checkout that has been started once, and is whole. */
async function openBuilt() {
  built ??= makeBuilt();
  return openCheckout(await built);
}

async function makeBuilt(): Promise<string> {
  const checkout = await openCheckout();
  const first = checkout.start();
  await first.said('reference made');
  first.kill('SIGTERM');
  await first.exit;
  const folder = freePath();
  cpSync(checkout.folder, folder, { recursive: true });
  return folder;
}

it('runs the service as soon as its programs and scripts are there, and makes the widget beside it', async () => {
  const checkout = await openCheckout();
  const scripts = checkout.hold('scripts');
  const widget = checkout.hold('widget');
  const service = checkout.start('--demo', '--port', '0');
  (await scripts).goOn();
  await service.said('listens');
  const held = await widget;
  expect(service.output()).toBe('runs with --demo --port 0\nlistens\n');
  held.goOn();
  await service.said('widget made');
});

it('makes the documentation and the reference only when the service listens, and never again', async () => {
  const checkout = await openCheckout();
  const [widget, listening] = [checkout.hold('widget'), checkout.hold('listen')];
  const first = checkout.start();
  const [{ goOn: makeWidget }, { goOn: listen }] = await Promise.all([widget, listening]);
  // The one that makes the widget: the pages have a process of their own.
  expect(first.children()).toBe(1);
  makeWidget();
  listen();
  await first.said('reference made');
  expect(checkout.steps).toEqual(expect.arrayContaining(ALL));
  expect(checkout.steps.indexOf('docs')).toBeGreaterThan(checkout.steps.indexOf('listen'));
  expect(checkout.steps).toHaveLength(ALL.length);
  first.kill('SIGTERM');
  expect(await first.exit).toBe(0);

  checkout.steps.length = 0;
  const second = checkout.start();
  await second.said('listens');
  expect([checkout.steps, second.output(), second.errors()]).toEqual([
    ['listen'],
    'runs with \nlistens\n',
    '',
  ]);
});

it('makes only what has changed, such as after git pull', async () => {
  const checkout = await openBuilt();
  checkout.write('src/docs', 'docs 2');
  checkout.write('src/scripts', 'scripts 2');
  const service = checkout.start();
  await service.said('docs made');
  expect(checkout.steps).toEqual(['scripts', 'listen', 'docs']);
  expect([checkout.read('dist/docs/index.json'), checkout.read('dist/scripts.js')]).toEqual([
    'docs 2',
    'scripts 2',
  ]);
});

it('needs no new build for a checkout that is copied, or that goes to another branch and back', async () => {
  const checkout = await openBuilt();
  const docs = checkout.read('src/docs');
  checkout.write('src/docs', 'another branch');
  checkout.write('src/docs', docs);
  await checkout.start().said('listens');
  expect(checkout.steps).toEqual(['listen']);
});

it('goes on without a part that cannot be made, says why, and tries again at the next start', async () => {
  const checkout = await openCheckout();
  const docs = checkout.hold('docs');
  const first = checkout.start();
  (await docs).fail('docs/a.md:3: a dead link.\ndocs/b.md:4: another.');
  await first.said('reference made');
  expect(first.output()).toContain('docs failed: docs/a.md:3: a dead link.\n');
  expect(checkout.has('dist/docs')).toBe(false);
  first.kill('SIGTERM');
  await first.exit;

  checkout.steps.length = 0;
  await checkout.start().said('docs made');
  expect(checkout.steps).toEqual(['listen', 'docs']);
});

it('does not run without its programs, and says why', async () => {
  const checkout = await openCheckout();
  const programs = checkout.hold('programs');
  const service = checkout.start();
  (await programs).fail('src/service/app/run.ts:5: Expected ";" but found ")"');
  expect(await service.exit).toBe(1);
  expect([service.output(), service.errors()]).toEqual([
    '',
    'src/service/app/run.ts:5: Expected ";" but found ")"\n',
  ]);
  expect(checkout.steps).toEqual(['programs']);
});

it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGKILL'])(
  'ends its build when it gets %s, even from a tool that does not pause, and begins again at the next start',
  async (signal) => {
    const checkout = await openCheckout();
    const docs = checkout.hold('docs');
    const first = checkout.start();
    const { goOn, ended } = await docs;
    goOn('block');
    first.kill(signal);
    await first.exit;
    await ended;
    await expect.poll(checkout.builders).toEqual([]);
    expect(checkout.has('dist/docs')).toBe(false);

    checkout.steps.length = 0;
    const second = checkout.start();
    await second.said('reference made');
    expect(checkout.steps).toEqual(['listen', ...PAGES]);
    expect(readdirSync(`${checkout.folder}/dist`).sort()).toEqual(
      ['.made', 'docs', 'reference', 'scripts.js', 'service', 'widget.js'].sort(),
    );
  },
);

it('says that the build has ended early, when something else ends it', async () => {
  const checkout = await openCheckout();
  const docs = checkout.hold('docs');
  const service = checkout.start();
  (await docs).goOn('die');
  await service.said('reference failed: Expected the build to end by itself, got SIGKILL.');
});

it('leaves a whole build when two begin at once', async () => {
  const checkout = await openCheckout();
  const [firstPrograms, secondPrograms] = [checkout.hold('programs'), checkout.hold('programs')];
  const services = [checkout.start(), checkout.start()];
  const [first, second] = await Promise.all([firstPrograms, secondPrograms]);
  first.goOn();
  second.goOn();
  await Promise.all(services.map((service) => service.said('reference made')));
  for (const service of services) {
    service.kill('SIGTERM');
    expect([await service.exit, service.errors()]).toEqual([0, '']);
  }
  checkout.steps.length = 0;
  await checkout.start().said('listens');
  expect(checkout.steps).toEqual(['listen']);
});

it('keeps what another start has made meanwhile', async () => {
  const checkout = await openCheckout();
  const programs = checkout.hold('programs');
  const slow = checkout.start();
  const { goOn } = await programs;
  const fast = checkout.start();
  await fast.said('widget made');
  checkout.write('dist/service/run.js', `${checkout.read('src/programs')}// as the fast one has left it`);
  goOn();
  await slow.said('listens');
  expect(checkout.read('dist/service/run.js')).toContain('as the fast one');
});

it('makes a part again whose source has changed while it was made', async () => {
  const checkout = await openCheckout();
  const docs = checkout.hold('docs');
  const first = checkout.start();
  const { goOn } = await docs;
  checkout.write('src/docs', 'docs 2');
  goOn();
  await first.said('reference made');
  first.kill('SIGTERM');
  await first.exit;
  checkout.steps.length = 0;
  await checkout.start().said('docs made');
  expect(checkout.steps).toEqual(['listen', 'docs']);
});

it.each([
  ['the folder is read-only', 'read-only'],
  ['the tools are not installed', 'no tools'],
])('runs what is there where %s, and says that it is older', async (_, word) => {
  const checkout = await openBuilt();
  checkout.write('src/programs', checkout.read('src/programs').replace('runs with', 'is new and runs with'));
  checkout.write('src/scripts', 'scripts 2');
  const [programs, scripts] = [checkout.hold('programs'), checkout.hold('scripts')];
  const service = checkout.start();
  (await programs).goOn(word);
  (await scripts).goOn(word);
  await service.said('listens');
  expect(service.output()).toBe('runs with \nlistens\n');
  // One line for both.
  expect(service.errors()).toMatch(
    /^dist\/ is older than its sources\. It stays as it is, because nothing can be built here: .+\n$/,
  );
});

it('does not run where nothing is there and nothing can be built', async () => {
  const checkout = await openCheckout();
  const programs = checkout.hold('programs');
  const service = checkout.start();
  (await programs).goOn('no tools');
  expect(await service.exit).toBe(1);
  expect(service.errors()).toContain("Cannot find package 'a-tool-that-is-not-installed'");
});

it('does not wait for the build when the service has only shown its help', async () => {
  const checkout = await openCheckout();
  // Held for ever. On a busy machine, the service may have ended before its build asks at all.
  void checkout.hold('widget');
  expect(await checkout.start('--help').exit).toBe(0);
});

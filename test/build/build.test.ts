/** `node build.mjs`: which parts it makes, and what a build leaves that failed or was cut off. */
import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inLong } from '../in-long.ts';
import { openCheckout } from './checkout.ts';

// Several processes, some of them at a low priority.

const ALL = ['programs', 'scripts', 'widget', 'docs', 'reference', 'package'];

inLong('makes every part, each time, unless it is asked for those that are stale', async () => {
  const checkout = await openCheckout();
  expect(await checkout.build()).toEqual({ status: 0, errors: '' });
  expect(await checkout.build()).toEqual({ status: 0, errors: '' });
  expect([...checkout.steps].sort()).toEqual([...ALL, ...ALL].sort());

  checkout.steps.length = 0;
  expect(await checkout.build('--if-stale')).toEqual({ status: 0, errors: '' });
  expect(checkout.steps).toEqual([]);
  checkout.write('src/package', 'package 2');
  await checkout.build('--if-stale');
  expect(checkout.steps).toEqual(['package']);
});

it.each([
  ['programs', ['programs']],
  ['reference', ['reference']],
  // The widget has the hash of a script.
  ['widget', ['scripts', 'widget']],
])('makes for %s what it is made of, and nothing else', async (part, steps) => {
  const checkout = await openCheckout();
  expect(await checkout.build('--if-stale', part)).toEqual({ status: 0, errors: '' });
  expect(checkout.steps).toEqual(steps);
});

it('makes a part again of which something has been removed', async () => {
  const checkout = await openCheckout();
  checkout.write('dist/scripts.js', 'of an older build, without a stamp');
  await checkout.build('--if-stale', 'scripts');
  await checkout.build('--if-stale', 'scripts');
  expect(checkout.steps).toEqual(['scripts']);
  checkout.remove('dist/scripts.js');
  await checkout.build('--if-stale', 'scripts');
  expect(checkout.steps).toEqual(['scripts', 'scripts']);
});

it('removes what an earlier build has left in the folders of a part, and nothing of other parts', async () => {
  const checkout = await openCheckout();
  for (const file of ['docs/old.json', 'docs/pages/old.json', 'reference/old.html'])
    checkout.write(`dist/${file}`, 'old');
  await checkout.build('docs');
  expect(['docs/old.json', 'docs/pages/old.json'].filter((file) => checkout.has(`dist/${file}`))).toEqual([]);
  expect(checkout.has('dist/docs/pages/start.json')).toBe(true);
  expect(checkout.has('dist/reference/old.html')).toBe(true);
});

it('leaves the part that was there when the new one has a fault', async () => {
  const checkout = await openCheckout();
  await checkout.build('docs');
  checkout.write('src/docs', 'docs 2');
  const docs = checkout.hold('docs');
  const built = checkout.build('--if-stale', 'docs');
  (await docs).fail('docs/a.md:3: a dead link.\ndocs/b.md:4: another.');
  expect(await built).toEqual({ status: 1, errors: 'docs/a.md:3: a dead link.\ndocs/b.md:4: another.\n' });
  expect(checkout.read('dist/docs/index.json')).toBe('docs 1');
});

it('takes no part for whole that was cut off while it was put in place', async () => {
  const checkout = await openCheckout();
  await checkout.build('docs');
  // The last file cannot be replaced.
  checkout.remove('dist/docs/index.json');
  mkdirSync(`${checkout.folder}/dist/docs/index.json/in-the-way`, { recursive: true });
  expect((await checkout.build('docs')).status).toBe(1);
  checkout.remove('dist/docs/index.json');
  checkout.write('dist/docs/index.json', 'docs 1');

  checkout.steps.length = 0;
  await checkout.build('--if-stale', 'docs');
  expect(checkout.steps).toEqual(['docs']);
});

it('fails when a part is made of what is not among its sources, because a change there would be missed', async () => {
  const checkout = await openCheckout();
  const docs = checkout.hold('docs');
  const built = checkout.build('docs');
  (await docs).goOn('reads more');
  expect(await built).toEqual({
    status: 1,
    errors:
      'Expected the sources of "docs" to have all that it is made of, got also src/other. Add it in src/build/parts.mjs.\n',
  });
  expect(checkout.has('dist/docs')).toBe(false);
});

it('fails with the reference, which it makes in a process of its own', async () => {
  const checkout = await openCheckout();
  const reference = checkout.hold('reference');
  const built = checkout.build();
  (await reference).fail('src/widget/index.ts: no docblock');
  expect(await built).toEqual({ status: 1, errors: 'src/widget/index.ts: no docblock\n' });
});

it('says which parts there are when it gets another word', async () => {
  const checkout = await openCheckout();
  expect(await checkout.build('doc')).toEqual({
    status: 2,
    errors: 'Expected --if-stale or some of programs, scripts, widget, docs, reference, package, got doc.\n',
  });
  expect(checkout.steps).toEqual([]);
});

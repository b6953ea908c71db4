/** The masthead: which links it has, which of them it marks, and how it comes into pages that are files. */
import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { masthead, putMastheadIn } from '../../../src/service/pages/masthead.ts';
import { createSite } from '../../../src/service/pages/page-urls.ts';

const WHOLE = createSite(undefined, ['demo', 'docs', 'dashboard']);

function read(markup: unknown) {
  const { document } = new Window();
  document.body.innerHTML = String(markup);
  const links = [...document.querySelectorAll('nav a')];
  return {
    document,
    home: document.querySelector('.wordmark')!.getAttribute('href'),
    addresses: links.map((link) => link.getAttribute('href')),
    current: links.flatMap((link) => {
      const current = link.getAttribute('aria-current');
      return current === null ? [] : [`${link.textContent}: ${current}`];
    }),
  };
}

it('links to every page of the demo', () => {
  const { home, addresses, document } = read(masthead(WHOLE));
  expect(home).toBe('/');
  expect(addresses).toEqual(['/gallery/', '/playground/', '/theme/', '/proof/', '/docs/', '/dashboard/']);
  expect(document.querySelector('.view')).toBeNull();
});

it('leaves out the links to pages that the service does not have', () => {
  const { home, addresses } = read(masthead(createSite('https://mail.example/v', ['docs', 'dashboard'])));
  expect([home, addresses]).toEqual(['/v/docs/', ['/v/docs/', '/v/dashboard/']]);
  const alone = read(masthead(createSite(undefined, ['dashboard'])));
  expect([alone.home, alone.addresses]).toEqual(['/dashboard/', []]);
});

it('has no links where a person decides about an app', () => {
  expect(read(masthead(WHOLE, { isPlain: true })).addresses).toEqual([]);
});

it.each([
  ['/docs/', 'Docs: page'],
  ['/docs/hosting', 'Docs: true'],
  ['/reference/functions/install.html', 'Docs: true'],
  ['/debug/', 'Docs: true'],
  ['/dashboard/keys', 'Dashboard: true'],
  ['/playground/', 'Playground: page'],
])('marks the link that %s belongs to', (path, current) => {
  expect(read(masthead(WHOLE, { path })).current).toEqual([current]);
});

it.each([
  ['', 'index.html', './', './playground/', []],
  ['', 'playground/', '../', '../playground/', ['Playground: page']],
  ['', 'playground/index.html', '../', '../playground/', ['Playground: page']],
  ['/reference', '', '../', '../playground/', ['Docs: true']],
  ['/reference', 'functions/install.html', '../../', '../../playground/', ['Docs: true']],
])('comes into the file %s/%s with relative links', (base, file, home, playground, current) => {
  const page = putMastheadIn(WHOLE, base, 'everything').apply('<body><!-- masthead --><main>', file);
  expect(page).toMatch(/^<body><a class="skip" .*<\/header><main>$/s);
  const found = read(page);
  expect([found.home, found.addresses[1], found.current]).toEqual([home, playground, current]);
});

it('leaves a file without a place for it as it is', () => {
  expect(putMastheadIn(WHOLE, '', 'everything').apply('<p>$&', 'a.html')).toBe('<p>$&');
});

// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepHistory } from '../../src/dashboard/history.ts';

const result = (address: string, state = 'risky') =>
  `<section data-verified="${address}" data-state="${state}"></section>`;
const PLACE = '<section id="history" hidden></section>';

/** Opens a page of the dashboard. */
function open(main: string, account = 'ada@example.com'): string[] {
  document.body.innerHTML = `<div class="person"><span class="who">${account}</span></div><main>${main}</main>`;
  keepHistory();
  return [...document.querySelectorAll('#history li')].map((item) => item.querySelector('a')!.textContent!);
}

beforeEach(() => sessionStorage.clear());
afterEach(() => vi.restoreAllMocks());

it('lists what was verified in the tab, the latest first, and each result once', () => {
  expect(open(PLACE)).toEqual([]);
  expect(document.getElementById('history')!.hidden).toBe(true);
  open(result('a@x.example'));
  open(result('<b>@x.example', 'deliverable'));
  open(result('a@x.example'));
  expect(open(PLACE)).toEqual(['a@x.example', '<b>@x.example']);
  expect(document.getElementById('history')!.hidden).toBe(false);
  expect(document.querySelectorAll('#history time[title]')).toHaveLength(2);
});

it('has the results of several addresses, and one that comes later', () => {
  open('<a href="/one" data-verified="a@x.example" data-state="risky">a</a>');
  document.querySelector('main')!.innerHTML = result('b@x.example');
  document.dispatchEvent(new CustomEvent('renewed'));
  expect(open(PLACE)).toEqual(['b@x.example', 'a@x.example']);
  const links = [...document.querySelectorAll<HTMLAnchorElement>('#history a')].map(({ href }) => href);
  expect(links[1]).toMatch(/\/one$/);
});

it('shows nothing of another account, and works without storage', () => {
  open(result('a@x.example'));
  expect(open(PLACE, 'bob@example.com')).toEqual([]);
  vi.stubGlobal('sessionStorage', {
    getItem: () => {
      throw new Error('blocked');
    },
  });
  expect(open(result('a@x.example') + PLACE)).toEqual([]);
  vi.unstubAllGlobals();
});

// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { announce, prepareAnnouncements } from '../../src/dashboard/announce.ts';

it('says a text in one region, which was there before', () => {
  document.body.innerHTML = '';
  prepareAnnouncements();
  const region = document.querySelector('[aria-live]')!;
  expect(region.textContent).toBe('');
  announce('Copied');
  expect([region.textContent, document.querySelectorAll('[aria-live]').length]).toEqual(['Copied', 1]);
});

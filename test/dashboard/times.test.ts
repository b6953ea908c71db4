// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { chooseLocalDays, tellLocalTimes } from '../../src/dashboard/times.ts';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones = () => [...document.querySelectorAll('#time-zone')].map(({ textContent }) => textContent);

beforeEach(() => {
  document.body.innerHTML = '<main></main>';
});

it('says once on a page which time zone its times are of', () => {
  const main = document.querySelector('main')!;
  main.innerHTML =
    '<time datetime="2026-11-23T07:24:00Z">x</time><time datetime="2026-11-24T07:24:00Z">x</time>';
  tellLocalTimes(document);
  // A part that renews itself.
  tellLocalTimes(main);
  expect(zones()).toEqual([`Times are in your time zone, ${ZONE}.`]);
  expect(main.lastElementChild!.id).toBe('time-zone');
});

it('says nothing of time zones on a page without times', () => {
  document.querySelector('main')!.innerHTML =
    '<time datetime="2026-11-23">x</time><time datetime="T">x</time>';
  tellLocalTimes(document);
  expect(zones()).toEqual([]);
});

it('needs no main part', () => {
  document.body.innerHTML = '<time datetime="2026-11-23T07:24:00Z">x</time>';
  tellLocalTimes(document);
  expect(document.querySelector('time')!.title).toMatch(/2026.*:24:00 \S+/);
});

it('chooses days in the time zone of the reader', () => {
  document.body.innerHTML = `<label>Created on (<span id="day-zone">UTC</span>)</label><input type="hidden" name="zone" disabled>`;
  chooseLocalDays();
  const zone = document.querySelector('input')!;
  expect(zone.value).toEqual(ZONE);
  expect(zone.disabled).toBe(false);
  expect(document.querySelector('label')!.textContent).toBe(`Created on (${ZONE})`);
});

it('keeps the time zone of what a page has found by a day', () => {
  document.body.innerHTML = `<span id="day-zone">Asia/Tokyo</span><input type="hidden" name="zone" value="Asia/Tokyo">`;
  chooseLocalDays();
  expect(document.querySelector('input')!.value).toBe('Asia/Tokyo');
  expect(document.querySelector('span')!.textContent).toBe('Asia/Tokyo');
});

// @vitest-environment happy-dom
/** A page that is left open for a day, with somebody typing into it again and again: nothing piles up. */
import { expect, it, vi } from 'vitest';
import { rounds } from '../long.mjs';
import { ANN, FORM, installIn, record, statuses, type, typesOf, wait } from './page-under-test.ts';
import { resultOf } from './scripted-fetch.ts';

/** Of the many, the widget forgets the first answers. */
const ADDRESSES = rounds(600, 3_000);
const KEYS_MS = 250;

it('leaves no timer, no element and no request behind after a day of typing', async () => {
  const page = installIn(FORM);
  const input = page.input();
  const events = record(document);
  const { requests } = page.service;
  let answered = 0;
  for (let number = 1; number <= ADDRESSES; number++) {
    // Each third address is one that was typed before.
    const address = number % 3 ? `visitor-${number}@shop.example` : ANN;
    for (const length of [3, 12, address.length]) {
      type(input, address.slice(0, length));
      await wait(KEYS_MS);
    }
    await wait(1000);
    const isAsked = requests.length > answered;
    if (!isAsked) expect(address).toBe(ANN);
    else if (number % 7) await page.service.last.answer(200, resultOf(address));
    else await page.service.last.answer(503, { message: 'Back soon' });
    answered = requests.length;
  }

  const failures = Math.floor(ADDRESSES / 7) - Math.floor(ADDRESSES / 21);
  const asked = requests.map(({ email }) => email);
  expect(asked.filter((email) => email !== ANN)).toHaveLength((ADDRESSES * 2) / 3);
  // Asked again when the answers that are remembered have become too many.
  expect(asked.filter((email) => email === ANN).length).toBeLessThan(4);
  expect(typesOf(events).filter((name) => name === 'verified')).toHaveLength(ADDRESSES - failures);
  expect(statuses()).toHaveLength(1);
  expect(document.body.children).toHaveLength(2);
  // The one that sees to it that the verdict does not outlive its value.
  expect(vi.getTimerCount()).toBe(1);
  page.widget.destroy();
  expect(vi.getTimerCount()).toBe(0);
});

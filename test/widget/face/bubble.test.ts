// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import {
  ANN,
  FORM,
  installIn,
  JOE,
  leave,
  type PageUnderTest,
  statusOf,
  statusText,
  submit,
  verify,
} from '../page-under-test.ts';

const UNDELIVERABLE = { state: 'undeliverable' };
const INVALID = 'This address does not seem to exist.';

/** A rejected address in the focused input, as the browser leaves it when it refuses a submission. */
async function refused(): Promise<PageUnderTest> {
  const page = installIn(FORM);
  await verify(page, JOE, UNDELIVERABLE);
  page.input().focus();
  return page;
}

// happy-dom has no attribute for this property.
const live = (page: PageUnderTest) => statusOf(page.input()).ariaLive;

function blur(page: PageUnderTest): void {
  page.input().blur();
  leave(page.input(), { changed: false });
}

it('leaves the status empty until the focus goes, and then announces nothing', async () => {
  const page = await refused();
  expect([statusText(page.input()), live(page)]).toEqual([INVALID, null]);
  submit(page.form());
  expect(statusText(page.input())).toBe('');
  blur(page);
  expect([statusText(page.input()), live(page)]).toEqual([INVALID, 'off']);
});

it('is not there again when the visitor comes back', async () => {
  const page = await refused();
  submit(page.form());
  blur(page);
  page.input().focus();
  page.input().dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true }));
  expect(statusText(page.input())).toBe(INVALID);
});

it('does not silence the next verdict', async () => {
  const page = await refused();
  submit(page.form());
  await verify(page, ANN, UNDELIVERABLE);
  expect([statusText(page.input()), live(page)]).toEqual([INVALID, null]);
});

it('is none if the page prevents it', async () => {
  const page = await refused();
  page.input().addEventListener('invalid', (event) => event.preventDefault());
  submit(page.form());
  expect(statusText(page.input())).toBe(INVALID);
});

it('is gone by itself after some seconds, although the focus stays', async () => {
  const page = await refused();
  submit(page.form());
  expect(statusText(page.input())).toBe('');
  await vi.advanceTimersByTimeAsync(11_000);
  expect([statusText(page.input()), live(page)]).toEqual([INVALID, 'off']);
});

const pressEnter = (page: PageUnderTest) => {
  const init = { key: 'Enter', bubbles: true, composed: true, cancelable: true };
  return page.input().dispatchEvent(new KeyboardEvent('keydown', init));
};

it('says it alone after Enter in a form without a submit button, too', async () => {
  const page = await refused();
  pressEnter(page);
  // The browser validates in the same task.
  page.form().reportValidity();
  await vi.advanceTimersByTimeAsync(0);
  expect(statusText(page.input())).toBe('');
  blur(page);
  expect([statusText(page.input()), live(page)]).toEqual([INVALID, 'off']);
});

it('is none after Enter if the page handles the key, and only checks the form', async () => {
  const page = await refused();
  page.input().addEventListener('keydown', (event) => event.preventDefault());
  pressEnter(page);
  page.form().checkValidity();
  await vi.advanceTimersByTimeAsync(0);
  expect(statusText(page.input())).toBe(INVALID);
});

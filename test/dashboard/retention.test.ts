// @vitest-environment happy-dom
/** What the page of the settings does when hours are typed. */
import { beforeEach, expect, it } from 'vitest';
import { chooseTypedHours } from '../../src/dashboard/retention.ts';

const input = (selector: string) => document.querySelector<HTMLInputElement>(selector)!;

beforeEach(() => {
  document.body.innerHTML = `<form id="retention-form">
<input type="radio" name="keep" value="service" checked><input type="radio" name="keep" value="24">
<input type="radio" name="keep" value="other"><input name="hours" value=""></form>`;
  chooseTypedHours();
});

it('chooses another time when hours are typed', () => {
  input('[name=hours]').value = '48';
  input('[name=hours]').dispatchEvent(new Event('input', { bubbles: true }));
  expect(input('[value=other]').checked).toBe(true);
});

it('leaves the choice alone when the hours are emptied', () => {
  input('[name=hours]').dispatchEvent(new Event('input', { bubbles: true }));
  expect(input('[value=service]').checked).toBe(true);
});

it('empties the hours when something else is chosen, and keeps them for another time', () => {
  input('[name=hours]').value = '48';
  input('[value=other]').dispatchEvent(new Event('change', { bubbles: true }));
  input('[name=hours]').dispatchEvent(new Event('change', { bubbles: true }));
  expect(input('[name=hours]').value).toBe('48');
  input('[value="24"]').dispatchEvent(new Event('change', { bubbles: true }));
  expect(input('[name=hours]').value).toBe('');
});

it('does nothing on other pages', () => {
  for (const body of ['', '<form id="retention-form"></form>']) {
    document.body.innerHTML = body;
    expect(chooseTypedHours).not.toThrow();
  }
});

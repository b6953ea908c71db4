// @vitest-environment happy-dom
import { beforeEach, expect, it } from 'vitest';
import { revealOnPress } from '../../src/dashboard/reveal.ts';

beforeEach(() => {
  document.body.innerHTML = `<form><input id="secret" type="password">
    <button type="button" data-reveal="secret" hidden>Show the password</button></form>
    <button type="button" data-reveal="missing" hidden>Show nothing</button>`;
  revealOnPress();
});

const input = () => document.querySelector('input')!;
const button = () => document.querySelector('button')!;

it('shows and hides what was typed, and says which of them the button does', () => {
  expect(button().hidden).toBe(false);
  button().click();
  expect([input().type, button().textContent]).toEqual(['text', 'Hide the password']);
  button().click();
  expect([input().type, button().textContent]).toEqual(['password', 'Show the password']);
});

it('hides it before the form is sent, so that the browser offers to store it', () => {
  button().click();
  document.querySelector('form')!.dispatchEvent(new Event('submit'));
  expect(input().type).toBe('password');
});

it('leaves a button alone whose field is missing', () => {
  expect(document.querySelectorAll('button')[1]!.hidden).toBe(true);
});

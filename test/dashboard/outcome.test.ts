// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { focusOutcome } from '../../src/dashboard/outcome.ts';

const FIELD = '<input id="field">';
const focusedAfter = (main: string): string => {
  document.body.innerHTML = `<button id="other"></button><main>${main}</main>`;
  focusOutcome();
  return document.activeElement?.id || document.activeElement!.localName;
};

it('moves the focus to the sentence that says what was done', () => {
  expect(focusedAfter(`<p id="said" class="done" tabindex="-1" autofocus>Saved.</p>${FIELD}`)).toBe('said');
});

it('moves the focus to the wrong field, and to the fault if there is none', () => {
  const fault = '<p id="problem" class="problem" role="alert" tabindex="-1">Wrong.</p>';
  expect(focusedAfter(`${fault}<input id="wrong" aria-invalid="true" autofocus>`)).toBe('wrong');
  expect(focusedAfter(fault + FIELD)).toBe('problem');
});

it('leaves the focus alone on other pages, and where somebody has put it', () => {
  expect(focusedAfter(FIELD)).toBe('body');
  document.body.innerHTML =
    '<button id="other"></button><main><p id="said" tabindex="-1" autofocus></p></main>';
  document.getElementById('other')!.focus();
  focusOutcome();
  expect(document.activeElement!.id).toBe('other');
});

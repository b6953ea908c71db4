// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import { lend } from '../../../src/widget/effects/attributes.ts';

let input: HTMLInputElement;
beforeEach(() => {
  input = document.createElement('input');
});

const present = () => input.getAttribute('aria-busy');

it('sets a value, replaces it, and removes it again', () => {
  const set = lend(input, 'aria-busy');
  set('true');
  expect(present()).toBe('true');
  set('false');
  expect(present()).toBe('false');
  set(null);
  expect(present()).toBe(null);
});

it('restores the page’s value', () => {
  input.setAttribute('aria-busy', 'theirs');
  const set = lend(input, 'aria-busy');
  set('true');
  set(null);
  expect(present()).toBe('theirs');
});

it('keeps a value that the page sets meanwhile, and restores it later', () => {
  const set = lend(input, 'aria-busy');
  set('true');
  input.setAttribute('aria-busy', 'theirs');
  set(null);
  expect(present()).toBe('theirs');
  set('true');
  set(null);
  expect(present()).toBe('theirs');
});

it('does not restore a value that the page has removed meanwhile', () => {
  input.setAttribute('aria-busy', 'theirs');
  const set = lend(input, 'aria-busy');
  set('true');
  input.removeAttribute('aria-busy');
  set(null);
  expect(present()).toBe(null);
});

it('does not write an equal value, or restore without a change', () => {
  const set = lend(input, 'aria-busy');
  const written = vi.spyOn(Element.prototype, 'setAttribute');
  const removed = vi.spyOn(Element.prototype, 'removeAttribute');
  set(null);
  expect(written).not.toHaveBeenCalled();
  expect(removed).not.toHaveBeenCalled();
  set('true');
  set('true');
  expect(written).toHaveBeenCalledTimes(1);
  set(null);
  set(null);
  expect(removed).toHaveBeenCalledTimes(1);
});

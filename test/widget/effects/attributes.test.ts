// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import { lend } from '../../../src/widget/effects/attributes.ts';

let input: HTMLInputElement;
beforeEach(() => {
  input = document.createElement('input');
});

const present = () => input.getAttribute('aria-busy');

it('puts a value there, another in its place, and takes it away again', () => {
  const set = lend(input, 'aria-busy');
  set('true');
  expect(present()).toBe('true');
  set('false');
  expect(present()).toBe('false');
  set(null);
  expect(present()).toBe(null);
});

it('gives back what the page had', () => {
  input.setAttribute('aria-busy', 'theirs');
  const set = lend(input, 'aria-busy');
  set('true');
  set(null);
  expect(present()).toBe('theirs');
});

it('leaves what the page has written meanwhile, and gives that back later', () => {
  const set = lend(input, 'aria-busy');
  set('true');
  input.setAttribute('aria-busy', 'theirs');
  set(null);
  expect(present()).toBe('theirs');
  set('true');
  set(null);
  expect(present()).toBe('theirs');
});

it('leaves alone what the page has taken away meanwhile', () => {
  input.setAttribute('aria-busy', 'theirs');
  const set = lend(input, 'aria-busy');
  set('true');
  input.removeAttribute('aria-busy');
  set(null);
  expect(present()).toBe(null);
});

it('writes nothing that is there already, and nothing where nothing was lent', () => {
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

// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { controlsOf, parentOf, requestSubmit, typeIn } from '../../src/widget/prototypes.ts';

// happy-dom assigns no slots: e2e/reach.spec.ts goes through them.
it('finds the parent of a node, from a shadow root its host, and none above the document', () => {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const input = document.createElement('input');
  root.append(input);
  document.body.append(host);
  expect([input, root, host].map(parentOf)).toEqual([root, host, document.body]);
  expect(parentOf(document)).toBe(null);
});

it('calls the platform’s methods on elements that a page has given a class of its own', () => {
  document.body.innerHTML = '<form><input></form>';
  const [form, input] = [document.forms[0]!, document.querySelector('input')!];
  const called: string[] = [];
  class OwnForm extends HTMLFormElement {
    override get elements(): HTMLFormControlsCollection {
      called.push('elements');
      return super.elements;
    }
    override requestSubmit(): void {
      called.push('requestSubmit');
    }
  }
  class OwnInput extends HTMLInputElement {
    override get value(): string {
      return super.value;
    }
    override set value(_: string) {
      called.push('value');
    }
  }
  // What `<form is=…>` becomes, which happy-dom does not make.
  Object.setPrototypeOf(form, OwnForm.prototype);
  Object.setPrototypeOf(input, OwnInput.prototype);
  let submissions = 0;
  form.addEventListener('submit', (event) => {
    submissions += 1;
    event.preventDefault();
  });
  expect(controlsOf(form)).toEqual([input]);
  requestSubmit(form);
  typeIn(input, 'joe@shop.example');
  expect([submissions, called]).toEqual([1, []]);
});

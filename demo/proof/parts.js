import { element } from '../element.js';
import { wordValue } from './words.js';

/** Shows the parts of a token: each name, its value, and what it means. */
export function showParts(selector, values, meanings) {
  const parts = Object.entries(Object(values)).map(([name, value]) =>
    element(
      'div',
      {},
      element('dt', {}, name),
      element('dd', { dir: 'ltr' }, wordValue(name, value)),
      element('dd', { class: 'note' }, meanings[name] ?? 'It is not part of a proof.'),
    ),
  );
  document.querySelector(selector).replaceChildren(...parts);
}

/** Shows what the widget does as it happens, oldest first. Values are shown as text, never as markup. */

import { element } from '../element.js';
import { observe } from '../v2/debug.mjs';

/** A page that is left open all day stays one that can be scrolled. */
const MOST_ENTRIES = 200;

const list = document.querySelector('#time-line');
let begun;
/** The entry of what is being typed: a line for each letter would hide all else. */
let typing;

observe(({ at, kind, text }) => {
  begun ??= at;
  if (kind === 'key' && typing?.isConnected) {
    typing.textContent = text;
    return;
  }
  const seconds = ((at - begun) / 1000).toFixed(2);
  const wasAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  // English, whichever way the page runs, with addresses in it.
  const words = element('span', { class: 'text', dir: 'ltr' }, text);
  list.append(
    element(
      'li',
      {},
      element('time', { dir: 'ltr' }, `${seconds} s`),
      element('span', { class: 'kind' }, kind),
      words,
    ),
  );
  if (kind === 'key') typing = words;
  else if (!text.startsWith('waiting')) typing = undefined;
  while (list.childElementCount > MOST_ENTRIES) list.firstElementChild.remove();
  // Whoever has scrolled up to read is left there.
  if (wasAtEnd) list.scrollTop = list.scrollHeight;
});

document.querySelector('#clear').addEventListener('click', () => {
  list.replaceChildren();
  begun = undefined;
});

// There is nowhere to send it to.
document.querySelector('#sign-up').addEventListener('submit', (event) => event.preventDefault());

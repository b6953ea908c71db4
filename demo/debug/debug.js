/** Shows what the widget does as it happens, oldest first. Shows values as text, never as markup. */

import { element } from '../element.js';
import { observe } from '../v2/debug.mjs';

/** Keeps a page short that stays open all day. */
const MOST_ENTRIES = 200;

const list = document.querySelector('#time-line');
let begun;
/** The entry of what the visitor types: a line for each letter would hide everything else. */
let typing;

observe(({ at, kind, text }) => {
  begun ??= at;
  const isTyping = kind === 'key' && text.startsWith('changed');
  if (isTyping && typing?.isConnected) {
    typing.textContent = text;
    return;
  }
  const seconds = ((at - begun) / 1000).toFixed(2);
  const wasAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const words = element('span', { class: 'text' }, text);
  list.append(
    element('li', {}, element('time', {}, `${seconds} s`), element('span', { class: 'kind' }, kind), words),
  );
  if (isTyping) typing = words;
  else if (!text.startsWith('waiting')) typing = undefined;
  while (list.childElementCount > MOST_ENTRIES) list.firstElementChild.remove();
  // A visitor who scrolled up to read stays there.
  if (wasAtEnd) list.scrollTop = list.scrollHeight;
});

document.querySelector('#clear').addEventListener('click', () => {
  list.replaceChildren();
  begun = undefined;
});

// The demo has no page that takes the form.
document.querySelector('#sign-up').addEventListener('submit', (event) => event.preventDefault());

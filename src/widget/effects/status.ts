/**
 * The status element of one input: a live region that is there before its first text, with the texts in a tree
 * of its own so that no style gets in or out. Shows what it is told; decides nothing.
 */

import { bare } from '../../interface/bare.ts';
import { textsAround, type Verdict } from '../check/policy.ts';
import { append, create, detach, listen } from '../prototypes.ts';
import { describeBy } from './attributes.ts';
import { keepAt } from './floating.ts';
import type { Home } from './home.ts';
import css from './status.css';

/** Which colour it has; `verifying` shows the spinner. */
export type Tone = 'verifying' | 'rejected' | 'hint';

export interface Status {
  /** Moves the element to its home, if it is not there yet, and ties it to the input. */
  settleIn(home: Home): void;
  /** Shows what a verdict says; nothing is seen when it says nothing. */
  tell(verdict: Verdict, tone: Tone, spinnerColor: string): void;
  takeAway(): void;
}

let count = 0;
/** One for all: parsed once, and kept once. */
let sheet: CSSStyleSheet | undefined;

export function createStatus(input: HTMLInputElement, onSuggestion: (address: string) => void): Status {
  const host = create('div');
  host.id = `email-verify-status-${++count}`;
  host.setAttribute('role', 'status');
  const tree = host.attachShadow(bare({ mode: 'open' }));
  if (!sheet) {
    // A constructable sheet passes every style-src; a <style> would need the page's permission.
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  tree.adoptedStyleSheets = [sheet];
  const box = part(tree, 'div', 'status');

  let floating = false;
  let shown: string | undefined;
  let stopFloating: (() => undefined) | undefined;

  const life = new AbortController();

  /** A floating suggestion stands at the end of the document; for the keyboard it comes right after the input. */
  function tab(event: KeyboardEvent) {
    if (event.key !== 'Tab' || !floating) return;
    const within = tree.activeElement;
    if (within) input.focus();
    else if (!event.shiftKey) tree.querySelector('button')?.focus();
    // From the suggestion onwards, the browser goes on from the input.
    if (within ? event.shiftKey : tree.activeElement) event.preventDefault();
  }
  for (const target of [input, box]) listen(target, 'keydown', tab, life.signal);

  return {
    settleIn(home) {
      if (host.parentNode !== home.place) {
        floating = home.floating;
        host.className = `email-verify-status${floating ? ' email-verify-floating' : ''}`;
        append(home.place, host);
      }
      describeBy(input, host.id);
    },

    tell({ template, suggestion }, tone, spinnerColor) {
      const next = template && tone + template + suggestion + spinnerColor;
      // The same text again would be announced again.
      if (next !== shown) {
        shown = next;
        // A focused suggestion that goes away would leave a keyboard user at the top of the page.
        if (tree.activeElement) input.focus();
        box.textContent = '';
        box.className = tone;
        if (tone === 'verifying') part(box, 'i', 'spinner').style.color = spinnerColor;
        const [before = '', ...after] = suggestion ? textsAround(template) : [template];
        const message = part(box, 'span', 'message', before);
        if (after.length) {
          const button = part(message, 'button', 'suggestion');
          // Its first letter, not the page, says where an address begins.
          part(button, 'bdi', '', suggestion);
          // Pressing it with a pointer leaves the focus, and an open on-screen keyboard, where they are.
          button.onmousedown = () => false;
          button.onclick = () => onSuggestion(suggestion);
          append(message, new Text(after.join(suggestion)));
        }
      }
      box.hidden = !template;
      stopFloating = floating && template ? (stopFloating ?? keepAt(input, box)) : stopFloating?.();
    },

    takeAway() {
      life.abort();
      stopFloating?.();
      describeBy(input, '');
      detach(host);
    },
  };
}

function part(parent: Node, name: string, partName: string, text?: string): HTMLElement {
  const element = create(name);
  element.setAttribute('part', partName);
  // Without a text it stays empty: that is what `undefined` means to a browser here.
  element.textContent = text as string;
  append(parent, element);
  return element;
}

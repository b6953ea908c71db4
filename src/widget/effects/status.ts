/**
 * The status element of one input: a live region that is there before its first text, with the texts in a tree
 * of its own so that no style gets in or out. Shows what it is told; decides nothing.
 */

import { textsAround } from '../check/policy.ts';
import { append, attributeOf, bare, detach, rootOf, setAttribute } from '../prototypes.ts';
import { keepAt } from './floating.ts';
import type { Home } from './home.ts';
import css from './status.css';

/** What is to be seen. */
export interface StatusView {
  /** Which colour it has; `verifying` shows the spinner. */
  readonly tone: 'verifying' | 'rejected' | 'hint';
  /** Nothing is seen when it is empty. */
  readonly template: string;
  /** Takes the place of the first `[EMAIL]` as a button; empty when there is none. */
  readonly suggestion: string;
  readonly spinnerColor: string;
}

export interface Status {
  /** Moves the element to its home, if it is not there yet, and ties it to the input. */
  settleIn(home: Home): void;
  show(view: StatusView): void;
  remove(): void;
}

let count = 0;

export function createStatus(input: HTMLInputElement, onSuggestion: (address: string) => void): Status {
  const host = document.createElement('div');
  host.id = `email-verify-status-${++count}`;
  host.setAttribute('role', 'status');
  const tree = host.attachShadow(bare({ mode: 'open' }));
  // A constructable sheet passes every style-src; a <style> would need the page's permission.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  tree.adoptedStyleSheets = [sheet];
  const box = part(tree, 'div', 'status', '');
  box.hidden = true;

  let floating = false;
  let shown = '';
  let stopFloating: (() => void) | undefined;

  /** `aria-describedby` beside what the page has there, or without ours. */
  function describeBy(by: string) {
    const tokens = (attributeOf(input, 'aria-describedby') ?? '').split(/\s+/);
    const others = tokens.filter((token) => token !== host.id);
    // The page's own attribute is not touched to no effect: a framework may be watching it.
    if (by ? others.length === tokens.length : others.length < tokens.length) {
      setAttribute(input, 'aria-describedby', [...others, by].join(' ').trim() || null);
    }
  }

  function float(on: boolean) {
    if (on === !!stopFloating) return;
    stopFloating?.();
    stopFloating = undefined;
    if (!on) return;
    const { fontFamily, fontSize } = getComputedStyle(input);
    box.style.fontFamily = `var(--email-verify-font-family,${fontFamily})`;
    box.style.fontSize = `var(--email-verify-font-size,max(12px,.875*${fontSize}))`;
    stopFloating = keepAt(input, box);
  }

  return {
    settleIn(home) {
      floating = home.floating;
      host.className = `email-verify-status${floating ? ' email-verify-floating' : ''}`;
      if (host.parentNode !== home.parent) append(home.parent, host);
      // An id means nothing across the border of a shadow root.
      if (rootOf(host) === rootOf(input)) describeBy(host.id);
      else input.ariaDescribedByElements = [host];
    },

    show({ tone, template, suggestion, spinnerColor }) {
      const next = template && [tone, template, suggestion, spinnerColor, floating].join();
      // The same text again would be announced again.
      if (next !== shown) {
        shown = next;
        // A focused suggestion that goes away would leave a keyboard user at the top of the page.
        if (tree.activeElement) input.focus(bare({ preventScroll: true }));
        box.textContent = '';
        box.hidden = !template;
        box.className = floating ? `${tone} floating` : tone;
        if (template && tone === 'verifying') {
          const spinner = part(box, 'i', 'spinner', '');
          spinner.setAttribute('aria-hidden', 'true');
          spinner.style.color = spinnerColor;
        }
        const [before = '', ...after] = suggestion ? textsAround(template) : [template];
        const message = part(box, 'span', 'message', before);
        if (after.length) {
          const button = part(message, 'button', 'suggestion', suggestion);
          // Pressing it with a pointer leaves the focus, and an open on-screen keyboard, where they are.
          button.onmousedown = () => false;
          button.onclick = () => onSuggestion(suggestion);
          append(message, document.createTextNode(after.join(suggestion)));
        }
      }
      float(floating && !!template);
    },

    remove() {
      float(false);
      if (rootOf(host) === rootOf(input)) describeBy('');
      else input.ariaDescribedByElements = null;
      detach(host);
    },
  };
}

function part(parent: Node, name: string, partName: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.setAttribute('part', partName);
  element.textContent = text;
  append(parent, element);
  return element;
}

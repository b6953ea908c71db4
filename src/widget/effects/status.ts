/**
 * The status element of one input: a live region that exists before its first text. The texts are in a shadow tree,
 * which keeps styles apart. The box exists only while there is a text, so that a page's ::part() never shows an empty
 * box.
 */

import { bare } from '../../protocol/bare.ts';
import { isMultiple } from '../check/address.ts';
import { textsAround, type Verdict } from '../check/policy.ts';
import { append, create, detach, textNode } from '../prototypes.ts';
import { describeBy } from './attributes.ts';
import { keepAt } from './floating.ts';
import type { Home } from './home.ts';
import css from './status.css';

/** The kind of message, which decides the colour. `verifying` shows the spinner. */
export type Tone = 'verifying' | 'rejected' | 'hint';

/** The part of a field that a status uses. */
export interface Described {
  readonly _input: HTMLInputElement;
  /** Puts an address into the input, as if the visitor had typed it. */
  _takeSuggestion(address: string): void;
}

const NAME = 'email-verify-status';

let count = 0;
/** One style sheet for all status elements, so that it is parsed and stored once. */
let sheet: CSSStyleSheet | undefined;

export interface Status {
  /**
   * Moves the element to its home, describes the input by it, and shows the verdict's text. An empty text shows
   * nothing.
   */
  _tell(home: Home, verdict: Verdict, tone: Tone, spinnerColor: string): void;
  _takeAway(): void;
}

export function createStatus(field: Described): Status {
  const { _input: input } = field;
  const host = create('div');
  const tree = host.attachShadow(bare({ mode: 'open' }));
  let floating = false;
  let shown: string | undefined;
  let close: (() => undefined) | undefined;

  host.id = `${NAME}-${++count}`;
  host.setAttribute('role', 'status');

  /** Shows a text. Everything for it is made here. @returns a function that removes all of it */
  function open(
    { _template: template, _suggestion: suggestion }: Verdict,
    tone: Tone,
    spinnerColor: string,
  ): () => undefined {
    if (!sheet) {
      // A constructable sheet passes every style-src; a <style> would need the page's permission.
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
    }
    tree.adoptedStyleSheets = [sheet];
    const box = part(tree, 'div', 'status');
    box.className = tone + (floating ? ' floating' : '');
    if (tone === 'verifying') part(box, 'i', 'spinner').style.color = spinnerColor;
    fill(part(box, 'span', 'message'));
    let stopFloating = floating ? keepAt(input, box) : undefined;
    /** The element in which Shift+Tab was pressed, which may move the focus back to the input, and its parents. */
    let cameFrom: EventTarget[] = [];
    const focusSuggestion = () => tree.querySelector('button')?.focus();

    /** A floating suggestion is at the end of the document. For the keyboard, it comes directly after the input. */
    function handle(event: Event) {
      if (!floating || box.hidden || box.style.clipPath) return;
      const { key, shiftKey, ctrlKey, altKey, metaKey, relatedTarget } = event as KeyboardEvent & FocusEvent;
      if (relatedTarget && cameFrom.includes(relatedTarget)) focusSuggestion();
      if (!key || ctrlKey || altKey || metaKey) return;
      const path = event.composedPath();
      const within = tree.activeElement;
      const isHere = within || path[0] === input;
      cameFrom = isHere || !shiftKey ? [] : path;
      if (!isHere) return;
      if (key === 'Tab') {
        if (within) input.focus();
        else if (!shiftKey) focusSuggestion();
        // Tab on the suggestion focuses the input first, so that the browser moves on from there.
        if (within ? shiftKey : tree.activeElement) event.preventDefault();
      }
      if (key === 'Escape') {
        if (within) input.focus();
        // Hides the box until there is a new text. Screen readers still find it.
        stopFloating = stopFloating?.();
        box.style.clipPath = 'inset(50%)';
        // Escape closes only the box, and not the page's dialog.
        event.preventDefault();
        event.stopPropagation();
      }
    }

    function fill(message: HTMLElement) {
      const [before = '', ...after] = suggestion ? textsAround(template) : [template];
      write(message, before);
      if (!after.length) return;
      const button = part(message, 'button', 'suggestion');
      // `handle` moves the focus to the suggestion and back. The end of the document is the wrong place in the tab order.
      if (floating) button.tabIndex = -1;
      // Isolated: the address's own letters decide its direction.
      const address = part(button, 'bdi', '');
      // For a list, the message begins with the address that it is about.
      const typed = isMultiple(input) ? before.split(': ')[0] : input.value.trim();
      const [same, different, end] = compare(typed as string, suggestion);
      write(address, same);
      if (different) write(part(address, 'u', 'difference'), different);
      write(address, end);
      // A pointer press moves no focus, so that an on-screen keyboard stays open.
      button.onmousedown = () => false;
      button.onclick = () => field._takeSuggestion(suggestion);
      write(message, after.join(suggestion));
    }

    window.addEventListener('keydown', handle, true);
    input.addEventListener('focusin', handle);
    return () => {
      stopFloating?.();
      // Removing a focused suggestion would move keyboard users to the top of the page.
      if (tree.activeElement) input.focus();
      detach(box);
      tree.adoptedStyleSheets = [];
      window.removeEventListener('keydown', handle, true);
      input.removeEventListener('focusin', handle);
    };
  }

  return {
    _tell({ _place: place, _floating: isFloating }, verdict, tone, spinnerColor) {
      if (host.parentNode !== place) {
        floating = isFloating;
        host.className = NAME + (floating ? ' email-verify-floating' : '');
        // An important style of the element overrides every rule of the page. A floating element takes no room and no
        // inherited style, such as letter spacing. It ends where its container begins, so that visitors cannot scroll to
        // what a page's ::before adds. With `position: fixed` it would need 300 B more memory. Firefox's initial
        // colour is for light pages only. The style sheet comes with the text, because it costs 2 kB of memory in each
        // shadow root.
        host.style.cssText = `all:${floating ? 'initial!important;position:absolute!important;bottom:100%!important;color-scheme:inherit!important;color:CanvasText' : 'unset!important;display:block'}!important`;
        append(place, host);
      }
      describeBy(input, host.id);
      const { _template: template, _suggestion: suggestion } = verdict;
      const next = template && tone + floating + template + suggestion + spinnerColor;
      // Screen readers would announce the same text again.
      if (next === shown) return;
      shown = next;
      close = close?.();
      if (template) close = open(verdict, tone, spinnerColor);
    },

    _takeAway() {
      close?.();
      describeBy(input, '');
      detach(host);
    },
  };
}

/** Splits a suggestion into the equal start, the part that differs from the typed text, and the equal end. */
function compare(typed: string, suggestion: string): [same: string, different: string, end: string] {
  const most = Math.min(typed.length, suggestion.length);
  let begin = 0;
  while (begin < most && typed[begin] === suggestion[begin]) begin++;
  let end = 0;
  while (end < most - begin && typed.at(~end) === suggestion.at(~end)) end++;
  const rest = suggestion.length - end;
  return [suggestion.slice(0, begin), suggestion.slice(begin, rest), suggestion.slice(rest)];
}

const write = (parent: Node, text: string) => append(parent, textNode(text));

function part(parent: Node, name: string, partName: string): HTMLElement {
  const element = append(parent, create(name));
  if (partName) element.setAttribute('part', partName);
  return element;
}

/**
 * The status element of one input: a live region that exists before its first text. The texts are in a shadow tree,
 * which keeps styles apart. The box exists only while there is a text, so that a page's ::part() never shows an empty
 * box.
 */

import { type Face, PLACEHOLDER, type Tone } from '../seam.ts';
import { keepAt } from './floating.ts';
import { findHome } from './home.ts';
import css from './status.css';

const NAME = 'email-verify-status';

/** What {@link Show} gets, unless it removes everything. */
type Said = [string, string, string, Tone, string, parent?: string | Element, bubble?: Event];

/** Browsers take a bubble away after five seconds, or some more for a long text. */
const BUBBLE_MS = 10_000;

let count = 0;
/** One style sheet for all status elements, so that it is parsed and stored once. */
let sheet: CSSStyleSheet | undefined;

export const createStatus = ((input, take, create, findAll, AbortController) => {
  const host = create('div');
  const tree = host.attachShadow({ __proto__: null, mode: 'open' } as ShadowRootInit);
  let floating = false;
  let shown: string | boolean | undefined;
  let close: (() => undefined) | undefined;
  /** Looks whether the floating box has to move. */
  let beat: (() => void) | undefined;
  /** The bubble that is gone. */
  let past: Event | undefined;
  let latest: Said;
  let timer: ReturnType<typeof setTimeout> | undefined;

  host.id = `${NAME}-${++count}`;
  host.role = 'status';

  function part(parent: Node, name: string, partName: string): HTMLElement {
    const element = parent.appendChild(create(name));
    element.setAttribute('part', partName);
    return element;
  }

  /** Shows a text. Everything for it is made here. @returns a function that removes all of it */
  function open(text: string, suggestion: string, about: string, tone: Tone, color: string): () => undefined {
    if (!sheet) {
      // A constructable sheet passes every style-src; a <style> would need the page's permission.
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
    }
    tree.adoptedStyleSheets = [sheet];
    const box = part(tree, 'div', 'status');
    box.className = tone + (floating ? ' floating' : '');
    if (tone === 'verifying') part(box, 'i', 'spinner').style.color = color;
    fill(part(box, 'span', 'message'));
    const ending = new AbortController();
    const listening = { __proto__: null, capture: true, signal: ending.signal };
    /** The element in which Shift+Tab was pressed, which may move the focus back to the input, and its parents. */
    let cameFrom: EventTarget[] = [];
    const focusSuggestion = () => tree.querySelector('button')?.focus();

    /** A floating suggestion is at the end of the document. For the keyboard, it comes directly after the input. */
    function handle(event: Event) {
      if (box.hidden || box.style.clipPath) return;
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
        ending.abort();
        box.style.clipPath = 'inset(50%)';
        // Escape closes only the box, and not the page's dialog.
        event.preventDefault();
        event.stopPropagation();
      }
    }

    function fill(message: HTMLElement) {
      const [before, ...after] = (suggestion ? text.split(PLACEHOLDER) : [text]) as [string, ...string[]];
      write(message, before);
      if (!after.length) return;
      const button = part(message, 'button', 'suggestion');
      // `handle` moves the focus to the suggestion and back. The end of the document is the wrong place in the tab order.
      if (floating) button.tabIndex = -1;
      // Isolated: the address's own letters decide its direction.
      const address = part(button, 'bdi', '');
      const [same, different, end] = compare(about, suggestion);
      write(address, same);
      if (different) write(part(address, 'u', 'difference'), different);
      write(address, end);
      // A pointer press moves no focus, so that an on-screen keyboard stays open.
      button.onmousedown = () => false;
      button.onclick = () => take(suggestion);
      write(message, after.join(suggestion));
    }

    if (floating) {
      beat = keepAt(input, box, listening);
      window.addEventListener('keydown', handle, listening);
      input.addEventListener('focusin', handle, listening);
    }
    return () => {
      beat = ending.abort() as undefined;
      // Removing a focused suggestion would move keyboard users to the top of the page.
      if (tree.activeElement) input.focus();
      tree.replaceChildren();
      tree.adoptedStyleSheets = [];
    };
  }

  const show = (...said: Said) => {
    const [text, suggestion, about, tone, color, parent, bubble] = said;
    latest = said;
    if (!parent) {
      clearTimeout(timer);
      timer = close?.();
      // Not `remove()`, which Prototype.js replaces by a method that hides.
      host.parentNode?.removeChild(host);
      return undefined;
    }
    // Nobody should read or hear a sentence twice: while the browser's bubble says it, the status is empty. Afterwards it
    // is not announced. The bubble is at the focused input, and goes with the focus, or by itself after some seconds.
    const isInBubble = bubble && bubble !== past && input.matches(':focus');
    if (!isInBubble) past = bubble;
    else
      timer ??= setTimeout(() => {
        timer = undefined;
        past = bubble;
        show(...latest);
      }, BUBBLE_MS);
    const { _place: place, _floating: isFloating } = findHome(input, parent, findAll);
    floating = isFloating;
    if (host.parentNode !== place) {
      host.className = NAME + (floating ? ' email-verify-floating' : '');
      // An important style of the element overrides every rule of the page. A floating element takes no room and no
      // inherited style, such as letter spacing. It ends where its container begins, so that visitors cannot scroll to
      // what a page's ::before adds. With `position: fixed` it would need 300 B more memory. Firefox's initial
      // colour is for light pages only. The style sheet comes with the text, because it costs 2 kB of memory in each
      // shadow root.
      host.style.cssText = `all:${floating ? 'initial!important;position:absolute!important;bottom:100%!important;color-scheme:inherit!important;color:CanvasText' : 'unset!important;display:block'}!important`;
      place.appendChild(host);
    }
    const next = !isInBubble && text && tone + floating + text + suggestion + color;
    // Screen readers would announce the same text again.
    if (next !== shown) {
      shown = next;
      host.ariaLive = bubble ? 'off' : null;
      close = close?.();
      if (next) close = open(text, suggestion, about, tone, color);
    }
    // The widget shows what stands four times a second.
    beat?.();
    return host.id;
  };
  return show;
}) as Face;

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

// The box has only our own elements, in which nothing hides a method.
const write = (parent: Element, text: string) => parent.append(text);

/**
 * The status element of one input: a live region that is there before its first text, with the texts in a tree
 * of its own so that no style gets in or out. Shows what it is told; decides nothing. The box around a text is
 * there only while there is a text: nothing else is left that a page's ::part() could show.
 */

import { bare } from '../../interface/bare.ts';
import { isMultiple } from '../check/address.ts';
import { textsAround, type Verdict } from '../check/policy.ts';
import { append, create, detach, textNode } from '../prototypes.ts';
import { describeBy } from './attributes.ts';
import { keepAt } from './floating.ts';
import type { Home } from './home.ts';
import css from './status.css';

/** Which colour it has; `verifying` shows the spinner. */
export type Tone = 'verifying' | 'rejected' | 'hint';

/** What a status needs to know of its input. */
export interface Described {
  readonly _input: HTMLInputElement;
  /** Puts an address into the input, as typing would. */
  _takeSuggestion(address: string): void;
}

const NAME = 'email-verify-status';

let count = 0;
/** One for all: parsed once, and kept once. */
let sheet: CSSStyleSheet | undefined;

export interface Status {
  /**
   * Moves the element to its home, if it is not there yet, and ties it to the input. Shows what a verdict says;
   * nothing is seen when it says nothing.
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

  /** Shows a text. All that this needs is made here, and goes with the text. @returns what takes it away */
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
    /** Where the key was pressed that may bring the focus backwards to the input. */
    let cameFrom: EventTarget[] = [];
    const focusSuggestion = () => tree.querySelector('button')?.focus();

    /** A floating suggestion stands at the end of the document; for the keyboard it comes right after the input. */
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
        // From the suggestion onwards, the browser goes on from the input.
        if (within ? shiftKey : tree.activeElement) event.preventDefault();
      }
      if (key === 'Escape') {
        if (within) input.focus();
        // Not seen until there is something new to say; described and announced as before.
        stopFloating = stopFloating?.();
        box.style.clipPath = 'inset(50%)';
        // This key has done its work: the page's dialog stays open.
        event.preventDefault();
        event.stopPropagation();
      }
    }

    function fill(message: HTMLElement) {
      const [before = '', ...after] = suggestion ? textsAround(template) : [template];
      write(message, before);
      if (!after.length) return;
      const button = part(message, 'button', 'suggestion');
      // The input leads to it, and it leads on from the input: at the end of the document nobody expects it.
      if (floating) button.tabIndex = -1;
      // Its first letter, not the page, says where an address begins.
      const address = part(button, 'bdi', '');
      // In a list, the message begins with the address that it is about.
      const typed = isMultiple(input) ? before.split(': ')[0] : input.value.trim();
      const [same, different, end] = compare(typed as string, suggestion);
      write(address, same);
      if (different) write(part(address, 'u', 'difference'), different);
      write(address, end);
      // Pressing it with a pointer leaves the focus, and an open on-screen keyboard, where they are.
      button.onmousedown = () => false;
      button.onclick = () => field._takeSuggestion(suggestion);
      write(message, after.join(suggestion));
    }

    window.addEventListener('keydown', handle, true);
    input.addEventListener('focusin', handle);
    return () => {
      stopFloating?.();
      // A focused suggestion that goes away would leave a keyboard user at the top of the page.
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
        // An important style of the element wins over every rule of the page. A floating one takes no room and no
        // inherited style: spacing and capitals were meant for other texts. It ends where its container begins:
        // nobody can scroll to what a page's ::before puts there. Fixed, it would keep 300 B more. The style sheet
        // comes with the text only, because it costs 2 kB of memory in each shadow root.
        host.style.cssText = `all:${floating ? 'initial!important;position:absolute!important;bottom:100%!important;color-scheme:inherit' : 'unset!important;display:block'}!important`;
        append(place, host);
      }
      describeBy(input, host.id);
      const { _template: template, _suggestion: suggestion } = verdict;
      const next = template && tone + floating + template + suggestion + spinnerColor;
      // The same text again would be announced again.
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

/** Splits a suggestion where it begins and ceases to differ from what was typed. */
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

/**
 * Watches the widget through what any page can see (its events, its attribute on the input, the validity), and through
 * what the widget says itself (its options, its requests, its reasons). Writes it down in words, and changes nothing.
 */
import type { Browser } from '../widget/browser.ts';
import type { ErrorDetail, VerifiedDetail, VerifyingDetail } from '../widget/effects/events.ts';
import { findHome } from '../widget/effects/home.ts';
import { enteredIn, isButton } from '../widget/effects/submission-rules.ts';
import { isMonitored, monitoredIn } from '../widget/page.ts';
import { followWidgets, optionsOf, replaceMethods } from './follow.ts';
import { CAUSES, OUTCOMES, reasonOfError, reasonOfVerdict, reasonUnmonitored, whenAsked } from './reasons.ts';

/** What an entry is about, in the order of a field's life. */
export type EntryKind = 'widget' | 'key' | 'state' | 'request' | 'answer' | 'event' | 'submission';

/** One thing that was seen, and why it was so. */
export interface Entry {
  /** What it is about. */
  readonly kind: EntryKind;
  /** In milliseconds of the page (`performance.now()`). */
  readonly at: number;
  /** The input's name, id or place; empty where it is about none. */
  readonly field: string;
  /** One line, with the address where there is one. */
  readonly text: string;
}

/** What does not leave a shadow root, and never reaches its target while the widget holds or refuses a submission. */
const LET_THROUGH = ['invalid', 'submit'];

/**
 * Watches until the returned function is called: the widget that is there, and any that comes later.
 *
 * @param tell gets each entry as it happens; entries hold the addresses that visitors type
 * @returns stops watching
 */
export function observe(tell: (entry: Entry) => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const states = new MutationObserver((records) => records.forEach(changedState));
  /** Why the widget asked last, by input. */
  const causes = new WeakMap<Element, string>();
  /** Inputs whose question has no verdict yet. */
  const asked = new WeakSet<Element>();
  const unmonitored = new WeakSet<Element>();
  const astray = new WeakSet<Element>();

  function write(kind: EntryKind, text: string, input?: Element) {
    // Somebody who began to watch later may hold what we put in place: then it stays there after the end.
    if (signal.aborted) return;
    tell({ kind, at: performance.now(), field: input ? nameOf(input) : '', text });
  }

  function say(kind: EntryKind, text: string, input?: Element) {
    // What the widget wrote on an input before this comes first.
    states.takeRecords().forEach(changedState);
    write(kind, text, input);
  }

  function changedState({ target, oldValue }: MutationRecord) {
    const input = target as HTMLInputElement;
    const state = input.getAttribute('data-email-verify');
    // Of several steps in one task, only the last can be read.
    if (state === oldValue) return;
    const cause = causes.get(input);
    let reason = '';
    if (state === 'waiting') reason = `: ${whenAsked(optionsOf(input))}`;
    if (state === 'verifying' && cause) reason = `: asking, since ${cause}`;
    const validity = input.validity.customError ? `; custom validity "${input.validationMessage}"` : '';
    write('state', `${state ?? 'nothing known'}${reason}${validity}`, input);
  }

  /** The widget says why it asks for an input's value, or what becomes of a form's submission. */
  function explained(about: Element, what: string) {
    if (about.localName === 'form') {
      const fields = monitoredIn(about as HTMLFormElement, optionsOf());
      const field = fields.find(({ validity }) => !validity.valid) ?? fields[0];
      say('submission', OUTCOMES[what] ?? what, field);
    } else {
      causes.set(about, CAUSES[what] ?? what);
      asked.delete(about);
    }
  }

  const listen = (type: string, act: (event: Event, input: HTMLInputElement) => void, anyTarget = false) =>
    window.addEventListener(
      type,
      (event) => {
        const input = event.composedPath()[0] as HTMLInputElement;
        if (anyTarget || isMonitored(input, optionsOf())) act(event, input);
      },
      { capture: true, signal },
    );
  /** After all listeners, the widget's and the page's. */
  const afterwards = (act: () => void) => setTimeout(() => signal.aborted || act(), 0);

  function watchRoot(root: Node) {
    states.observe(root, { attributeFilter: ['data-email-verify'], attributeOldValue: true, subtree: true });
    // The same listener on the same root or target counts once.
    for (const type of LET_THROUGH) root.addEventListener(type, followToTarget, { capture: true, signal });
  }

  /** The widget keeps what it holds or refuses from its target: what arrives there was let through. */
  function followToTarget({ type, target }: Event) {
    target?.addEventListener(type, letThrough, { capture: true, signal });
  }

  function letThrough(event: Event) {
    const target = event.target as HTMLElement;
    if (event.type === 'invalid') {
      if (isMonitored(target, optionsOf()))
        say('submission', `invalid: "${target.validationMessage}"`, target);
      return;
    }
    const [field] = monitoredIn(target as HTMLFormElement, optionsOf());
    if (!field) return;
    afterwards(() =>
      say(
        'submission',
        event.defaultPrevented ? 'let through; the page handles it itself' : 'let through: submitted',
        field,
      ),
    );
  }

  listen(
    'focusin',
    (_event, input) => {
      if (input.localName !== 'input') return;
      const root = input.getRootNode();
      if (root !== document) watchRoot(root);
      const reason = reasonUnmonitored(input, optionsOf());
      if (!reason || unmonitored.has(input)) return;
      unmonitored.add(input);
      say('widget', `not monitored: ${reason}`, input);
    },
    true,
  );
  listen('focusin', (_event, input) => {
    const { statusAppendTo } = optionsOf(input);
    if (statusAppendTo === 'body' || astray.has(input) || !findHome(input, statusAppendTo)._floating) return;
    astray.add(input);
    say('widget', `its status floats: statusAppendTo finds nothing (${statusAppendTo})`, input);
  });
  listen('input', (_event, input) => say('key', `changed to "${input.value}"`, input));
  listen('keydown', (event, input) => {
    if (enteredIn(event)) say('key', 'Enter', input);
  });
  listen(
    'click',
    (event) => {
      const button = event.composedPath().find(isButton);
      if (!button?.form || button.type === 'button') return;
      const [field] = monitoredIn(button.form, optionsOf());
      if (field) say('submission', 'tried: a submit button was pressed', field);
    },
    true,
  );

  // A page may fire events of these names itself, with any detail or none.
  listen('verifying', (event, input) => {
    const email = (event as CustomEvent<VerifyingDetail | undefined>).detail?.email;
    if (email === undefined) return;
    asked.add(input);
    say('event', `verifying "${email}"`, input);
    afterwards(() => {
      if (event.defaultPrevented)
        say('event', `"${email}" is left alone: a listener called preventDefault()`, input);
    });
  });
  listen('verified', (event, input) => {
    const detail = (event as CustomEvent<VerifiedDetail | undefined>).detail;
    if (!detail?.verificationData) return;
    const { accepted, message, verificationData } = detail;
    const isAnswered = asked.delete(input) || !causes.has(input) || verificationData.status === 0;
    const known = isAnswered ? '' : ' (the answer is remembered, nothing was asked)';
    const read = message ? `; the visitor reads "${message}"` : '';
    const why = reasonOfVerdict(detail, optionsOf(input).allow);
    say('event', `verified: ${accepted ? 'accepted' : 'rejected'}, since ${why}${known}${read}`, input);
  });
  listen('error', (event, input) => {
    const { detail } = event as CustomEvent<ErrorDetail | undefined>;
    if (detail?.message !== undefined)
      say('event', `error: ${reasonOfError(detail, optionsOf(input))}`, input);
  });

  watchRoot(document);
  const leave = followWidgets(
    (text) => say('widget', text),
    (browser) => watchBrowser(browser, say, explained),
  );

  return () => {
    stopping.abort();
    states.disconnect();
    leave();
  };
}

/** Sees the widget's requests, and no others, and gets its reasons. @returns gives back what it replaced */
function watchBrowser(
  browser: Browser,
  say: (kind: EntryKind, text: string) => void,
  explained: Browser['explain'],
): () => void {
  const { fetch, explain } = browser;
  return replaceMethods(browser, {
    explain(about, what) {
      explain(about, what);
      explained(about, what);
    },
    fetch(target, init) {
      const answer = fetch(target, init);
      const { origin, pathname, searchParams } = new URL(target, location.href);
      const started = performance.now();
      const sent = init.body instanceof URLSearchParams ? init.body : searchParams;
      say(
        'request',
        `${init.method} ${origin}${pathname} for "${sent.get('email')}", timeout ${sent.get('timeout')} s`,
      );
      const since = () => `after ${Math.round(performance.now() - started)} ms`;
      answer.then(
        ({ status }) =>
          say('answer', `${status} ${since()}${status === 249 ? ': not yet, to be asked again' : ''}`),
        () => say('answer', `${init.signal?.aborted ? 'given up' : 'no connection'} ${since()}`),
      );
      return answer;
    },
  });
}

function nameOf(input: Element): string {
  return input.getAttribute('name') || input.id || input.localName;
}

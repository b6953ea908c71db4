/**
 * Observes the widget from outside (its events, its attribute on the input, the validity) and from inside (its options,
 * requests and reasons). Describes each step in words, and changes nothing.
 */
import type { Browser } from '../widget/browser.ts';
import type { ErrorDetail, VerifiedDetail, VerifyingDetail } from '../widget/effects/events.ts';
import { enteredIn, isButton } from '../widget/effects/submission-rules.ts';
import { findHome } from '../widget/face/home.ts';
import { isMonitored, monitoredIn } from '../widget/page.ts';
import { findAll } from '../widget/prototypes.ts';
import { followWidgets, optionsOf, replaceMethods } from './follow.ts';
import { CAUSES, OUTCOMES, reasonOfError, reasonOfVerdict, reasonUnmonitored, whenAsked } from './reasons.ts';

/** The kind of an entry, in the order of a field's life: see the table in `docs/debugging.md`. */
export type EntryKind = 'widget' | 'key' | 'state' | 'request' | 'answer' | 'event' | 'submission';

/** One event or decision, with its reason. */
export interface Entry {
  /** What the entry is about. */
  readonly kind: EntryKind;
  /** Milliseconds since the page was loaded (`performance.now()`). */
  readonly at: number;
  /** The input's name, or its id, or else `input`. Empty if the entry is not about an input. */
  readonly field: string;
  /** One line of text. It may contain an address. */
  readonly text: string;
}

/** These events do not leave a shadow root. While the widget holds or refuses a submission, they do not reach their target. */
const LET_THROUGH = ['invalid', 'submit'];

/**
 * Observes the page's widget, and any that is installed later.
 *
 * @param tell called with each entry as it happens. Entries contain the addresses that visitors type
 * @returns a function that stops observing
 */
export function observe(tell: (entry: Entry) => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const states = new MutationObserver((records) => records.forEach(changedState));
  /** The reason of the last verification, by input. */
  const causes = new WeakMap<Element, string>();
  /** Inputs with an open verification. */
  const asked = new WeakSet<Element>();
  const unmonitored = new WeakSet<Element>();
  const astray = new WeakSet<Element>();

  function write(kind: EntryKind, text: string, input?: Element) {
    // If another observer has started later, our functions stay in place after the end.
    if (signal.aborted) return;
    tell({ kind, at: performance.now(), field: input ? nameOf(input) : '', text });
  }

  function say(kind: EntryKind, text: string, input?: Element) {
    // Earlier changes of the attribute come first.
    states.takeRecords().forEach(changedState);
    write(kind, text, input);
  }

  function changedState({ target, oldValue }: MutationRecord) {
    const input = target as HTMLInputElement;
    const state = input.getAttribute('data-email-verify');
    // Of several changes in one task, only the last can be read.
    if (state === oldValue) return;
    const cause = causes.get(input);
    let reason = '';
    if (state === 'waiting') reason = `: ${whenAsked(optionsOf(input))}`;
    if (state === 'verifying' && cause) reason = `, because ${cause}`;
    const validity = input.validity.customError ? `; custom validity "${input.validationMessage}"` : '';
    write('state', `${state ?? 'not verified'}${reason}${validity}`, input);
  }

  /** Called by the widget: why it verifies an input, or what it does with a form's submission. */
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
  /** Runs `act` after all listeners of the widget and the page. */
  const afterwards = (act: () => void) => setTimeout(() => signal.aborted || act(), 0);

  function watchRoot(root: Node) {
    states.observe(root, { attributeFilter: ['data-email-verify'], attributeOldValue: true, subtree: true });
    // Adding the same listener again changes nothing.
    for (const type of LET_THROUGH) root.addEventListener(type, followToTarget, { capture: true, signal });
  }

  /** The widget stops events of submissions that it holds or refuses. An event that reaches its target was let through. */
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
    afterwards(() => {
      const how = event.defaultPrevented ? '; the page handles it itself' : ': submitted';
      say('submission', `let through${how}`, field);
    });
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
    if (statusAppendTo === 'body' || astray.has(input) || !findHome(input, statusAppendTo, findAll)._floating)
      return;
    astray.add(input);
    say('widget', `the status floats: statusAppendTo matches no element (${statusAppendTo})`, input);
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

  // A page may fire its own events with these names, with or without a `detail`.
  listen('verifying', (event, input) => {
    const email = (event as CustomEvent<VerifyingDetail | undefined>).detail?.email;
    if (email === undefined) return;
    asked.add(input);
    say('event', `verifying "${email}"`, input);
    afterwards(() => {
      if (event.defaultPrevented)
        say('event', `"${email}" is skipped: a listener called preventDefault()`, input);
    });
  });
  listen('verified', (event, input) => {
    const detail = (event as CustomEvent<VerifiedDetail | undefined>).detail;
    if (!detail?.verificationData) return;
    const { accepted, message, verificationData } = detail;
    const isAnswered = asked.delete(input) || !causes.has(input) || verificationData.status === 0;
    const known = isAnswered ? '' : ' (remembered, without a request)';
    const read = message ? `; the visitor reads "${message}"` : '';
    const why = reasonOfVerdict(detail, optionsOf(input).allow);
    say('event', `verified: ${accepted ? 'accepted' : 'rejected'}, because ${why}${known}${read}`, input);
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

/** Observes the widget's requests and reasons. @returns a function that restores what it replaced */
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
          say(
            'answer',
            `${status} ${since()}${status === 249 ? ': no result yet, the widget repeats the request' : ''}`,
          ),
        () => say('answer', `${init.signal?.aborted ? 'aborted' : 'no connection'} ${since()}`),
      );
      return answer;
    },
  });
}

function nameOf(input: Element): string {
  return input.getAttribute('name') || input.id || input.localName;
}

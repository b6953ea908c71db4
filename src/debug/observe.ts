/**
 * Watches the widget by what any page can see (its events, the attribute on the input, the validity), and by what it
 * tells whoever explains it (its options, what it fetches); says in words what it does and why. Changes nothing.
 */
import type { Browser } from '../widget/browser.ts';
import type { ErrorDetail, VerifiedDetail, VerifyingDetail } from '../widget/effects/events.ts';
import { findHome } from '../widget/effects/home.ts';
import { isMonitored } from '../widget/page.ts';
import { followWidgets, optionsOf } from './follow.ts';
import { reasonOfError, reasonOfVerdict, reasonUnmonitored, whenAsked } from './reasons.ts';

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

/** How soon after it a reaction belongs to what the visitor did. */
const REACTION_MS = 60;

/**
 * Watches until the function returned is called, a widget that is there as well as one that comes.
 *
 * @param tell gets each entry as it happens; addresses that visitors type are in it
 * @returns stops watching
 */
export function observe(tell: (entry: Entry) => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  let states: MutationObserver | undefined;

  const say = (kind: EntryKind, text: string, input?: Element | null) => {
    // What the widget has written on an input before is told before.
    for (const record of states?.takeRecords() ?? []) changedState(record);
    tell({ kind, at: performance.now(), field: input ? nameOf(input) : '', text });
  };

  const unmonitored = new WeakSet<Element>();
  const asked = new Set<string>();
  const typedAt = new WeakMap<Element, number>();
  let triggered: { what: string; at: number } | undefined;
  const trigger = (what: string) => {
    triggered = { what, at: performance.now() };
  };
  const isRecent = () => triggered !== undefined && performance.now() - triggered.at < REACTION_MS;
  const stateOf = (input: Element) => input.getAttribute('data-email-verify');
  const isPending = (input: Element) => /^(waiting|verifying)$/.test(stateOf(input) ?? '');

  function changedState({ target, oldValue }: MutationRecord): void {
    const input = target as HTMLInputElement;
    const state = stateOf(input);
    // Several steps in one task leave the last only to be read.
    if (state === oldValue) return;
    const { verifyAfterDelay } = optionsOf(input);
    const isDelayOver = performance.now() - (typedAt.get(input) ?? 0) >= verifyAfterDelay;
    // The widget's listeners come before ours where it was here first: what it answers has not been seen yet.
    const by = isRecent()
      ? triggered?.what
      : isDelayOver
        ? 'the delay is over'
        : 'the field was left, or a submission tried';
    const why: Record<string, string> = {
      waiting: whenAsked(optionsOf(input)),
      verifying: `asking, since ${by}`,
    };
    const { customError } = input.validity;
    const validity = customError ? `; custom validity "${input.validationMessage}"` : '';
    const reason = why[state ?? ''];
    tell({
      kind: 'state',
      at: performance.now(),
      field: nameOf(input),
      text: `${state ?? 'nothing known'}${reason ? `: ${reason}` : ''}${validity}`,
    });
  }

  states = new MutationObserver((records) => records.forEach(changedState));
  const watchStates = (root: Node) =>
    states?.observe(root, { attributeFilter: ['data-email-verify'], attributeOldValue: true, subtree: true });
  watchStates(document);

  const listen = (type: string, act: (event: Event, input: HTMLInputElement) => void, anyInput = false) =>
    window.addEventListener(
      type,
      (event) => {
        const input = event.composedPath()[0] as HTMLInputElement;
        if (anyInput || isMonitored(input, optionsOf())) act(event, input);
      },
      { capture: true, signal },
    );
  /** After all listeners, the widget's and the page's. */
  const afterwards = (act: () => void) => setTimeout(() => signal.aborted || act(), 0);

  listen(
    'focusin',
    (_event, input) => {
      if (input.localName !== 'input') return;
      const root = input.getRootNode();
      if (root !== document) watchStates(root);
      const reason = reasonUnmonitored(input, optionsOf());
      if (!reason || unmonitored.has(input)) return;
      unmonitored.add(input);
      say('widget', `not monitored: ${reason}`, input);
    },
    true,
  );
  const astray = new WeakSet<Element>();
  listen('focusin', (_event, input) => {
    const { statusAppendTo } = optionsOf(input);
    if (statusAppendTo === 'body' || astray.has(input) || !findHome(input, statusAppendTo).floating) return;
    astray.add(input);
    say('widget', `its status floats: statusAppendTo finds nothing (${statusAppendTo})`, input);
  });
  listen('input', (_event, input) => {
    typedAt.set(input, performance.now());
    say('key', `changed to "${input.value}"`, input);
  });
  listen('change', () => {
    // It comes with Enter too, and before the focus has gone.
    if (!isRecent()) trigger('the field was left');
  });
  listen('focusout', () => trigger('the field was left'));
  listen('keydown', (event, input) => {
    if ((event as KeyboardEvent).key !== 'Enter') return;
    trigger('Enter was pressed');
    say('key', 'Enter', input);
  });
  listen(
    'click',
    (event) => {
      const button = event.composedPath().find((node) => matchesButton(node as Element)) as
        | HTMLButtonElement
        | undefined;
      if (!button?.form || !fieldsOf(button.form).length) return;
      trigger('a submission was tried');
      say('submission', 'tried: a submit button was pressed', fieldsOf(button.form)[0]);
    },
    true,
  );

  const fieldsOf = (form: HTMLFormElement): HTMLInputElement[] =>
    [...form.elements].filter((control): control is HTMLInputElement => isMonitored(control, optionsOf()));

  /** Forms of which it has been said in this task: the widget asks the browser twice. */
  const told = new Set<HTMLFormElement | null>();
  const once = (form: HTMLFormElement | null, act: () => void) => {
    if (told.has(form)) return;
    told.add(form);
    afterwards(() => {
      told.delete(form);
      act();
    });
  };

  listen('invalid', (event, input) => {
    const pending = isPending(input) || stateOf(input) === null;
    once(input.form, () =>
      say(
        'submission',
        pending && event.defaultPrevented
          ? 'held: the verdict is still to come'
          : `refused: "${input.validationMessage}"`,
        input,
      ),
    );
  });
  listen(
    'submit',
    (event, target) => {
      const form = target as unknown as HTMLFormElement;
      const fields = fieldsOf(form);
      if (!fields.length) return;
      trigger('a submission was tried');
      afterwards(() => {
        const guarded = fields.find((input) => isPending(input) || stateOf(input) === 'rejected');
        if (!event.defaultPrevented) say('submission', 'let through: submitted', fields[0]);
        else if (!guarded) say('submission', 'let through; the page handles it itself', fields[0]);
        else if (isPending(guarded)) say('submission', 'held: the verdict is still to come', guarded);
        else say('submission', `refused: "${guarded.validationMessage}"`, guarded);
      });
    },
    true,
  );

  listen('verifying', (event, input) => {
    const { email } = (event as CustomEvent<VerifyingDetail>).detail;
    asked.add(email);
    say('event', `verifying "${email}"`, input);
    afterwards(() => {
      if (event.defaultPrevented)
        say('event', `"${email}" is left alone: a listener said preventDefault()`, input);
    });
  });
  listen('verified', (event, input) => {
    const detail = (event as CustomEvent<VerifiedDetail | undefined>).detail;
    if (!detail?.verificationData) return;
    const { accepted, message } = detail;
    const isNew = detail.verificationData.status === 0 || asked.delete(input.value.trim());
    const known = isNew || input.multiple ? '' : ' (the answer is remembered, nothing was asked)';
    const told = message ? `; the visitor reads "${message}"` : '';
    const why = reasonOfVerdict(detail, optionsOf(input).allow);
    say('event', `verified: ${accepted ? 'accepted' : 'rejected'}, since ${why}${known}${told}`, input);
  });
  listen('error', (event, input) => {
    const { detail } = event as CustomEvent<ErrorDetail | undefined>;
    if (detail?.message !== undefined)
      say('event', `error: ${reasonOfError(detail, optionsOf(input))}`, input);
  });

  const leave = followWidgets(
    (text) => say('widget', text),
    (browser) => watchFetch(browser, say),
  );

  return () => {
    stopping.abort();
    states?.disconnect();
    leave();
  };
}

/** Sees the widget's requests, and no others. @returns gives its own `fetch` back to it */
function watchFetch(browser: Browser, say: (kind: EntryKind, text: string) => void): () => void {
  const { fetch } = browser;
  browser.fetch = (target, init) => {
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
  };
  return () => {
    browser.fetch = fetch;
  };
}

const matchesButton = (node: Element) =>
  /^(button|input)$/.test(node.localName) && /^(submit|image)$/.test((node as HTMLButtonElement).type);

function nameOf(input: Element): string {
  return input.getAttribute('name') || input.id || input.localName;
}

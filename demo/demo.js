/**
 * The page around the form: test addresses, events, options, snippets. The form itself needs none of it; the
 * widget finds it by its own script tag.
 */
import { element } from './element.js';
import { createEventLog, membersList, membersOf } from './event-log.js';
import { exceedRateLimit } from './rate-limit.js';
import { asCalls, asTag } from './snippets.js';
import { expectedOutcome, TEST_ADDRESSES } from './test-addresses.js';

// Calls before the widget has arrived wait in a queue; it empties it.
if (!window.emailVerify) {
  const queue = (...call) => queue.q.push(call);
  queue.q = [];
  window.emailVerify = queue;
}

const find = (selector) => document.querySelector(selector);
const signUp = find('#sign-up');
const email = find('#email');
const optionsForm = find('#options');
const sent = find('#sent');

// Typing, as a visitor's would look to any script.

const { set: setValue } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');

function type(address) {
  setValue.call(email, address);
  email.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }));
  email.focus();
}

// Events.

const log = createEventLog({
  list: find('#events'),
  emptyNote: find('#no-events'),
  clearButton: find('#clear-events'),
});

document.addEventListener('verifying', (event) => log.add(event, 'verifying', membersOf(event.detail)));
document.addEventListener('verified', (event) => {
  log.add(event, event.detail.accepted ? 'accepted' : 'rejected', membersOf(event.detail));
});
// The widget's `error` does not bubble; scripts and pictures that fail to load have one without a detail.
document.addEventListener(
  'error',
  (event) => {
    if (event instanceof CustomEvent) log.add(event, 'error', membersOf(event.detail));
  },
  true,
);

signUp.addEventListener('submit', (event) => {
  event.preventDefault();
  const { submitter } = event;
  const values = [...new FormData(signUp, submitter)];
  log.add(event, 'submit', values);
  const path = submitter?.getAttribute('formaction') ?? signUp.getAttribute('action');
  sent.replaceChildren(
    element('p', {}, 'Would have been sent to ', element('code', {}, path), ':'),
    membersList(values),
  );
});
signUp.addEventListener('input', () => sent.replaceChildren());

// Test addresses.

const outcomes = TEST_ADDRESSES.map((known, at) => {
  const outcome = element('span', { id: `outcome-${at}` });
  const button = element(
    'button',
    { type: 'button', 'aria-describedby': outcome.id, dir: 'ltr' },
    known.address,
  );
  button.addEventListener('click', () => type(known.address));
  find('#addresses').append(element('li', {}, button, outcome));
  return { known, outcome };
});

let visitors = 0;
find('#reach-limit').addEventListener('click', async () => {
  // An address that has had no answer yet: one that is known would not be sent.
  visitors += 1;
  await exceedRateLimit();
  type(`visitor-${visitors}@example.com`);
  // The limit is over with the second: there is no time for a delay.
  window.emailVerify('verify', email);
});

// Options.

const DEFAULTS = readOptions();

/** @returns the options as the form has them, under the names that the widget knows them by */
function readOptions() {
  const options = { allow: { states: [] } };
  for (const [path, text] of new FormData(optionsForm)) {
    const value = JSON.parse(text);
    const [name, key] = path.split('.');
    if (!key) options[name] = value;
    else if (key === 'states') options.allow.states.push(value);
    else options.allow[key] = value;
  }
  return options;
}

const differs = (one, other) => JSON.stringify(one) !== JSON.stringify(other);

/** What an author would have to write: `allow` key by key, since it is merged over the defaults. */
function changedOptions(options) {
  const changed = Object.entries(options).filter(([name, value]) => differs(value, DEFAULTS[name]));
  return Object.fromEntries(
    changed.map(([name, value]) => {
      if (name !== 'allow') return [name, value];
      const keys = Object.entries(value).filter(([key, allowed]) => differs(allowed, DEFAULTS.allow[key]));
      return [name, Object.fromEntries(keys)];
    }),
  );
}

let present = DEFAULTS;

function applyOptions() {
  // A number that is being typed is no number for a moment.
  if (!optionsForm.checkValidity()) return;
  const options = readOptions();
  for (const [name, value] of Object.entries(options)) {
    if (differs(value, present[name])) window.emailVerify(name, value);
  }
  present = options;
  showOptions();
}

function showOptions() {
  const changed = changedOptions(present);
  find('#tag-snippet').textContent = asTag(changed);
  find('#call-snippet').textContent = asCalls(changed);
  for (const { known, outcome } of outcomes) {
    const { tone, text } = expectedOutcome(known, present.allow);
    outcome.className = `outcome ${tone}`;
    outcome.textContent = text;
  }
  const { blockOnRateLimit } = present;
  const limit = find('#limit-outcome');
  limit.className = `outcome ${blockOnRateLimit ? 'rejected' : 'error'}`;
  limit.textContent = blockOnRateLimit
    ? 'Blocked, until it is asked again.'
    : 'No verdict: status 429. You may go on.';
}

optionsForm.addEventListener('submit', (event) => event.preventDefault());
optionsForm.addEventListener('input', applyOptions);
// The event comes before the values change.
optionsForm.addEventListener('reset', () => setTimeout(applyOptions));
showOptions();

// Copying.

for (const button of document.querySelectorAll('[data-copies]')) {
  button.addEventListener('click', async () => {
    const code = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(code.textContent);
      announceCopied('Copied.');
    } catch {
      // No permission: selected, it is one key away.
      getSelection().selectAllChildren(code);
      announceCopied('Selected. Copy it with the keyboard.');
    }
  });
}

function announceCopied(text) {
  const note = find('#copied');
  note.textContent = '';
  // The same text again would not be announced again.
  requestAnimationFrame(() => {
    note.textContent = text;
  });
}

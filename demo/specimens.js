/**
 * Holds live fields in every state that a visitor can meet: the widget is asked about the test addresses, and
 * nothing is painted. What a specimen needs of its own is in attributes on its inputs.
 */
import { element } from './element.js';
import { exceedRateLimit } from './rate-limit.js';

/** An hour: long enough to look at a spinner. */
const HELD_S = 3600;
const NEVER_MS = 2e6;
const A_SECOND_MS = 1100;
const MOST_ATTEMPTS = 5;
const RATE_LIMITED = 429;

const SPECIMENS = [
  { name: 'Nothing known', says: 'Untouched or empty. There is nothing to see.' },
  {
    name: 'Waiting',
    says: 'The visitor is typing.',
    address: 'risky@example.com',
    options: { verifyAfterDelay: NEVER_MS },
    begin: (input) => input.dispatchEvent(new InputEvent('input', { bubbles: true })),
  },
  { name: 'Verifying', says: 'The service is asked.', address: 'slow@example.com', restyled: true },
  { name: 'Accepted', says: 'Nothing to say.', address: 'deliverable@example.com' },
  {
    name: 'Accepted, with a hint',
    says: 'allow.role is ‘warn’.',
    address: 'role@example.com',
    options: { allow: { role: 'warn' } },
    restyled: true,
  },
  {
    name: 'Accepted, with a suggestion',
    says: 'Deliverable, but probably a slip.',
    address: 'someone@gmial.com',
  },
  { name: 'Rejected', says: 'The mailbox does not exist.', address: 'undeliverable@example.com' },
  {
    name: 'Rejected by policy',
    says: 'allow.disposable is false.',
    address: 'disposable@example.com',
    restyled: true,
  },
  {
    name: 'Rejected, with a suggestion',
    says: 'Its state is not among allow.states.',
    address: 'someone@gmial.com',
    options: { allow: { states: ['risky'] } },
    restyled: true,
  },
  {
    name: 'A long message',
    says: 'Lines and long words break.',
    address: 'undeliverable@example.com',
    tall: true,
    options: {
      messages: {
        invalid:
          'Diese E-Mail-Adresse gibt es anscheinend nicht. Bitte prüfen Sie Ihre E-Mail-Adressenschreibweise.',
      },
    },
  },
  {
    name: 'No verdict',
    says: 'The service is in trouble. The visitor may go on.',
    address: 'unknown@example.com',
  },
  {
    name: 'Rate limit reached',
    says: 'blockOnRateLimit is true.',
    address: 'visitor-1@example.com',
    limited: true,
  },
];

const isRestyled = new URLSearchParams(location.search).has('restyled');
if (isRestyled) document.head.append(element('link', { rel: 'stylesheet', href: 'restyled.css' }));

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const shown = SPECIMENS.filter(({ restyled }) => restyled || !isRestyled).map((specimen, at) => ({
  ...specimen,
  inputs: ['Floating', 'In flow'].map((placement) => createInput(specimen, at, placement)),
}));

function createInput({ name, address, options }, at, placement) {
  const id = `${kebab(placement).replace(/\W+/g, '')}-${at}`;
  const isFlowing = placement === 'In flow';
  const input = element('input', {
    type: 'email',
    id,
    name: name === 'Verifying' ? 'held' : name === 'No verdict' ? 'failing' : 'email',
    autocomplete: 'off',
    value: address ?? '',
    'aria-labelledby': `heading-${at} label-${id}`,
    ...(isFlowing ? { 'data-email-verify-status-append-to': `#room-${id}` } : {}),
  });
  for (const [option, value] of Object.entries(options ?? {})) {
    input.setAttribute(`data-email-verify-${kebab(option)}`, JSON.stringify(value));
  }
  return { input, id, placement };
}

for (const [at, { name, says, inputs, tall }] of shown.entries()) {
  const fields = inputs.map(({ input, id, placement }) =>
    element(
      'div',
      { class: 'field' },
      element('label', { for: id, id: `label-${id}` }, placement),
      input,
      element('div', { class: 'room', id: `room-${id}` }),
    ),
  );
  document
    .querySelector('#specimens')
    .append(
      element(
        'section',
        { class: tall ? 'specimen tall' : 'specimen', 'aria-labelledby': `heading-${at}` },
        element('div', {}, element('h2', { id: `heading-${at}` }, name), element('p', {}, says)),
        element('div', { class: 'placements' }, ...fields),
      ),
    );
}

window.emailVerify({
  blockOnRateLimit: true,
  verificationTimeout: HELD_S,
  // Asked before every request: one that never comes holds the field in `verifying`, one that fails ends in `error`.
  captcha(input) {
    if (input.name === 'held') return new Promise(() => {});
    return input.name === 'failing' ? Promise.reject() : 'none';
  },
});

const verify = ({ inputs, begin }) =>
  inputs.map(({ input }) => (begin ? begin(input) : window.emailVerify('verify', input)));
const isHeld = ({ name }) => name === 'Verifying';

// The frames share the second that the rate limit counts: the one that exceeds it has it to itself.
const lock = navigator.locks ?? { request: (_name, _options, work) => work() };

for (const specimen of shown.filter(isHeld)) verify(specimen);
await lock.request('rate', { mode: 'shared' }, () =>
  Promise.all(
    shown.filter((specimen) => specimen.address && !specimen.limited && !isHeld(specimen)).flatMap(verify),
  ),
);
const limited = shown.find((specimen) => specimen.limited);
if (limited) await lock.request('rate', { mode: 'exclusive' }, reachLimit);

/** On a busy machine the second may be over too soon: then once more, with an address that has no answer yet. */
async function reachLimit() {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    for (const { input } of limited.inputs) input.value = `visitor-${attempt}@example.com`;
    await exceedRateLimit();
    const [detail] = await Promise.all(verify(limited));
    if (detail?.status === RATE_LIMITED) break;
  }
  await new Promise((resolve) => setTimeout(resolve, A_SECOND_MS));
}

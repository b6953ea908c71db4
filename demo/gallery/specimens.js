/**
 * Fields that are held in one state each: the real widget asks the real service, and nothing is painted. A frame shows
 * one group of them, as in `specimens.html?group=rejected`; specimen-list.js says what there is.
 */
import { element } from '../element.js';
import { serviceUrl } from '../service-url.js';
import { GROUPS } from './specimen-list.js';

/** The service answers 25 requests a second, of all frames and tabs together. */
const PACE_MS = 60;
const A_SECOND_MS = 1100;
const MOST_ATTEMPTS = 5;
/** The rate limit, or no answer, which comes too late on a busy machine. */
const ASKED_AGAIN = [429, 0];

const PLACEMENTS = { flowing: 'In the flow', floating: 'Floating' };

const asked = new URLSearchParams(location.search).get('group');
const group = Object.hasOwn(GROUPS, asked) ? asked : 'theme';
const { title, options, specimens } = GROUPS[group];

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const shown = specimens.map((specimen) => {
  const placements = specimen.placements ?? Object.keys(PLACEMENTS);
  const fields = placements.map((placement) => createField(specimen, placement));
  const told = element('p', { class: 'told' });
  document
    .querySelector('#specimens')
    .append(
      element(
        'section',
        { class: 'specimen', 'aria-labelledby': `${specimen.id}-name` },
        element(
          'div',
          {},
          element('h2', { id: `${specimen.id}-name` }, specimen.name),
          element('p', {}, ...withCode(specimen.says)),
          told,
        ),
        ...fields.map(({ field }) => field),
      ),
    );
  return { ...specimen, fields, told };
});

/** An input with its label, its state in words, and a place for what is said in the flow. */
function createField({ id, address = '', multiple, options: own = {} }, placement) {
  const name = `${id}-${placement}`;
  const input = element('input', {
    type: 'email',
    id: name,
    name,
    autocomplete: 'off',
    value: address,
    'aria-labelledby': `${id}-name ${name}-label`,
    ...(multiple ? { multiple: '' } : {}),
    ...(placement === 'flowing' ? { 'data-email-verify-status-append-to': `#${name}-slot` } : {}),
  });
  for (const [option, value] of Object.entries(own)) {
    input.setAttribute(`data-email-verify-${kebab(option)}`, JSON.stringify(value));
  }
  const state = element('span', { class: 'state', dir: 'ltr' });
  new MutationObserver(() => {
    state.textContent = input.dataset.emailVerify ?? '';
    state.className = `state ${state.textContent}`;
  }).observe(input, { attributeFilter: ['data-email-verify'] });
  const slot = element('div', { id: `${name}-slot` });
  const head = element(
    'div',
    { class: 'head' },
    element('label', { for: name, id: `${name}-label` }, PLACEMENTS[placement]),
    state,
  );
  return {
    input,
    field: element('div', { class: `field ${placement}` }, head, input, slot),
  };
}

/** What stands between backquotes is code. */
function withCode(text) {
  return text.split('`').map((part, at) => (at % 2 ? element('code', { dir: 'ltr' }, part) : part));
}

const page = {
  baseUrl: serviceUrl,
  captcha: '',
  verificationTimeout: 5,
  blockOnRateLimit: true,
  ...options,
};
window.emailVerify(page);

/** Asks about a specimen, with what it takes to come to its state. @returns a promise of what is heard of its inputs */
function ask({ fields, begin, asked = {} }) {
  if (begin) {
    for (const { input } of fields) begin(input);
    return [];
  }
  const { simulate, ...others } = asked;
  const baseUrl = simulate ? `${page.baseUrl}/simulate/${simulate}/0` : page.baseUrl;
  // A question goes out with the options that hold when it is asked.
  window.emailVerify({ ...others, baseUrl });
  const heard = fields.map(({ input }) => window.emailVerify('verify', input));
  window.emailVerify(page);
  return heard;
}

/** What the page hears where there is no verdict, for there is nothing else to see. */
function tell({ told, fields }) {
  for (const { input } of fields) {
    input.addEventListener('error', ({ detail: { status, message } }) => {
      told.replaceChildren(element('code', {}, 'error'), ` ${status}: ${message}`);
    });
    input.addEventListener('verifying', () => told.replaceChildren());
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** One frame after the other. Where frames can't wait for each other, some are refused, and ask again. */
const inTurn = (work) => (navigator.locks ? navigator.locks.request('demo-questions', work) : work());

function bring(specimens, attempt = 1) {
  return inTurn(async () => {
    for (const specimen of specimens) {
      const heard = ask(specimen);
      if (attempt < MOST_ATTEMPTS) bringAgain(specimen, heard, attempt);
    }
    await pause(specimens.length * PACE_MS);
  });
}

async function bringAgain(specimen, heard, attempt) {
  const details = await Promise.all(heard);
  // Of an error. Some specimens ask for theirs.
  if (specimen.asked || !details.some((detail) => ASKED_AGAIN.includes(detail?.status))) return;
  await pause(A_SECOND_MS);
  bring([specimen], attempt + 1);
}

document.title = `${title} – Email verification widget`;
document.querySelector('h1').textContent = title;
document.querySelector('#specimens').classList.add(group);
shown.forEach(tell);
bring(shown.filter(({ address }) => address));

// Come back to, the widget would ask once more what is held here.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

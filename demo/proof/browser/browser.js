/** Says whether this browser takes part in the Email Verification Protocol, and shows what the demo's server finds. */
import { element } from '../../element.js';
import { ownBaseUrl } from '../../service-url.js';
import { showParts } from '../parts.js';
import { readToken } from '../token.js';
import { BOUND_MEANINGS, CHECKS, ISSUED_MEANINGS } from './words.js';

/** The first with the trial. */
const FIRST_CHROMIUM = 150;

const find = (selector) => document.querySelector(selector);
const form = find('#sign-up');
const token = find('#token');

window.emailVerify?.(ownBaseUrl);

/** Whether this browser takes part. Undefined without a session. */
const ready = begin();

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const isReady = await ready;
  if (isReady === undefined) return;
  const body = new URLSearchParams(new FormData(form));
  const verdict = await (await fetch(form.action, { method: 'POST', body })).json();
  showVerdict(verdict, isReady);
  showChecks(verdict);
  const parts = body.get('evt').split('~').map(readToken);
  const [issued, bound] = parts;
  for (const section of document.querySelectorAll('[data-token]')) section.hidden = !issued || !bound;
  showParts('#issued', { ...issued?.header, ...issued?.claims }, ISSUED_MEANINGS);
  showParts('#bound', { ...bound?.header, ...bound?.claims }, BOUND_MEANINGS);
  find('#server').hidden = false;
  find('#verdict-heading').focus();
});

async function begin() {
  let session;
  try {
    const response = await fetch('session');
    if (!response.ok) throw new Error(`Expected a session, got ${response.status}.`);
    session = await response.json();
  } catch {
    tellReady(false, 'The demo did not begin a session, so the form cannot be sent. Open the page again.');
    return undefined;
  }
  showSession(session);
  const isReady = await takesPart(session);
  // Another browser must not look for the provider elsewhere. The nonce is written by a script in any case, because the
  // page's policy empties it in HTML.
  if (isReady) {
    token.autocomplete = 'email-verification-token';
    token.setAttribute('nonce', session.nonce);
  }
  tellReady(
    isReady,
    isReady
      ? 'It takes part. Sign in at the mail provider, and send the form.'
      : 'It does not take part, so the form has no token. Start Chromium with the command below, and open this page there.',
  );
  return isReady;
}

function showSession({ mailbox, provider, switches }) {
  // A shell reads a text in double quotes as one word, and the others as they are.
  const words = switches.map((each) => (/^[\w=:/+.-]+$/.test(each) ? each : `"${each}"`));
  find('#mailbox').textContent = mailbox;
  find('#provider').href = provider;
  find('#command').textContent = ['chromium', ...words, new URL('.', location.href)].join(' ');
}

function tellReady(isReady, sentence) {
  const told = find('#ready');
  told.className = `verdict outcome ${isReady ? 'accepted' : 'error'}`;
  told.textContent = sentence;
}

/** No script can ask for the protocol. But only a browser that was started for this demo reaches its mail provider. */
async function takesPart({ provider }) {
  const { brands = [] } = navigator.userAgentData ?? {};
  if (!brands.some(({ brand, version }) => brand === 'Chromium' && version >= FIRST_CHROMIUM)) return false;
  try {
    return (await fetch(new URL('.well-known/email-verification', provider))).ok;
  } catch {
    return false;
  }
}

function showVerdict({ ok, email, issuer, reason }, isReady) {
  const told = find('#verdict');
  told.className = `verdict outcome ${ok ? 'accepted' : 'rejected'}`;
  if (ok) told.textContent = `${issuer} says that you control ${email}.`;
  else told.replaceChildren(element('code', {}, reason), ` ${wordRefusal(reason, isReady)}`);
}

function wordRefusal(reason, isReady) {
  if (reason === 'nonce') return 'The nonce of this page was used before. For another, open the page again.';
  if (reason !== 'absent') return 'The server does not accept the token.';
  if (!isReady) return 'This browser has no token, like those of most visitors.';
  return 'The browser had no token. Sign in at the mail provider, open this page again, type the address, and go on to the button.';
}

function showChecks({ reason }) {
  const codes = Object.keys(CHECKS);
  const last = reason ? codes.indexOf(reason) : codes.length;
  const rows = codes.map((code, index) =>
    element(
      'div',
      {},
      element('dt', {}, code),
      element('dd', {}, CHECKS[code]),
      index < last
        ? element('dd', { class: 'outcome accepted' }, 'yes')
        : index === last
          ? element('dd', { class: 'outcome rejected' }, 'no')
          : element('dd', { class: 'outcome error' }, 'not checked'),
    ),
  );
  find('#checks').replaceChildren(...rows);
}

/** Shows the proof that the form carries, in the place of the page's server, and verifies it as that server does. */
import { element } from '../element.js';
import { createProofVerifier } from '../libraries/server.js';
import { ownBaseUrl, serviceUrl } from '../service-url.js';
import { showParts } from './parts.js';
import { falsify, readToken } from './token.js';
import { CLAIM_MEANINGS, HEADER_MEANINGS, REFUSALS } from './words.js';

const NO_CRYPTOGRAPHY =
  'This browser verifies signatures only on pages of this machine, or over HTTPS. Open the demo at localhost.';

const find = (selector) => document.querySelector(selector);
const form = find('#sign-up');
const address = find('#got-email');
const proof = find('#got-proof');

/** What the form has sent last. */
let sent;
let verifyProof;
/** The keys that the verifier has fetched last. */
let keys = [];
/** Counts the checks, because a later one may end first. */
let checks = 0;

/** The demo may have been opened by another name of this machine, so the keys come from where this page is from. */
async function fetchKeys(_url, init) {
  const response = await fetch(`${serviceUrl}/.well-known/jwks.json`, { ...init, cache: 'no-cache' });
  const bytes = new Uint8Array(await response.arrayBuffer());
  ({ keys } = JSON.parse(new TextDecoder().decode(bytes)));
  // Safari's streams cannot be read in a loop.
  return { status: response.status, body: [bytes] };
}

/** A server knows the name of its service from its settings. This page has only what its own service has signed. */
function setUp() {
  const service = readToken(sent.proof)?.claims.iss ?? serviceUrl;
  const settings = { service, origin: location.origin, acceptTest: true };
  verifyProof = createProofVerifier({ ...settings, fetch: fetchKeys });
  const lines = Object.entries(settings).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  find('#settings').textContent = ['createProofVerifier({', ...lines, '})'].join('\n');
}

function fillIn(given) {
  address.value = given.email;
  proof.value = given.proof;
}

async function check() {
  checks += 1;
  const own = checks;
  const verdict = await verifyProof(proof.value, address.value);
  if (own !== checks) return;
  showVerdict(verdict);
  const token = readToken(proof.value);
  showParts('#header', token?.header, HEADER_MEANINGS);
  showParts('#claims', token?.claims, CLAIM_MEANINGS);
  find('#unreadable').hidden = !!token;
  const key = keys.find(({ kid }) => kid === token?.header.kid);
  find('#key').textContent = key ? JSON.stringify(key, undefined, 2) : 'There is no key with this name.';
}

function showVerdict({ ok, result, reason }) {
  const told = find('#verdict');
  told.className = `verdict outcome ${ok ? 'accepted' : 'rejected'}`;
  if (ok) told.replaceChildren(`The proof is genuine. The service says: ${result.state}.`);
  else if (!isSecureContext) told.replaceChildren(NO_CRYPTOGRAPHY);
  else told.replaceChildren(element('code', {}, reason), ` ${REFUSALS[reason]}`);
}

window.emailVerify?.(ownBaseUrl);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  sent = { email: fields.get('email'), proof: fields.get('proof') ?? '' };
  setUp();
  fillIn(sent);
  find('#server').hidden = false;
  find('#got-heading').focus();
  void check();
});

for (const control of [address, proof]) control.addEventListener('input', check);

find('#changes').addEventListener('click', ({ target }) => {
  if (target.localName !== 'button') return;
  // Each change begins with what was sent, so that one is seen at a time. Without a proof there is nothing to change.
  fillIn(sent);
  if (target.value && sent.proof) proof.value = falsify(sent.proof, target.value);
  void check();
});

/** The addresses to try, what the service says of each, and what the present policy makes of that. */

/** Most are of the interface's section 5.7; the key is a test key. */
export const TEST_ADDRESSES = [
  { address: 'deliverable@example.com', state: 'deliverable' },
  { address: 'undeliverable@example.com', state: 'undeliverable' },
  { address: 'risky@example.com', state: 'risky' },
  { address: 'unknown@example.com', state: 'unknown' },
  { address: 'role@example.com', state: 'deliverable', attribute: 'role' },
  { address: 'free@example.com', state: 'deliverable', attribute: 'free' },
  {
    address: 'accept-all@example.com',
    state: 'risky',
    says: 'risky, because its domain accepts every address',
  },
  { address: 'disposable@example.com', state: 'deliverable', attribute: 'disposable' },
  { address: 'slow@example.com', says: 'no response in time' },
  { address: 'ann@gmial.com', state: 'unknown', suggestion: 'ann@gmail.com' },
  { address: 'joe@nowhere', says: 'it cannot be an address, so it is not sent' },
];

const WORDS = { disposable: 'a disposable address', free: 'a free provider', role: 'a role address' };

/**
 * @param {(typeof TEST_ADDRESSES)[number]} known
 * @param {{ states: string[], [attribute: string]: unknown }} allow
 * @param {number} [status] what is simulated instead of any verdict, as in the `error` event
 * @param {boolean} [isLimitBlocking]
 * @returns {{ tone: 'accepted' | 'hint' | 'rejected' | 'error', text: string }}
 */
export function expectedOutcome(known, allow, status, isLimitBlocking = false) {
  const { address, state, attribute, suggestion, says } = known;
  const isSent = address !== 'joe@nowhere';
  if (isSent && status === 429 && isLimitBlocking)
    return { tone: 'rejected', text: 'Blocked until another attempt succeeds.' };
  if (isSent && status !== undefined)
    return { tone: 'error', text: `No verdict: ${why(status)}. You can submit.` };
  if (address === 'slow@example.com') return { tone: 'error', text: `No verdict: ${says}. You can submit.` };
  if (!state) return { tone: 'rejected', text: `Rejected: ${says}.` };
  if (!allow.states.includes(state)) {
    const reason = says ?? state;
    return { tone: 'rejected', text: suggestion ? 'Rejected, with a suggestion.' : `Rejected: ${reason}.` };
  }
  if (attribute && allow[attribute] === false)
    return { tone: 'rejected', text: `Rejected: ${WORDS[attribute]}.` };
  if (suggestion) return { tone: 'hint', text: 'Accepted, with a suggestion.' };
  if (attribute && allow[attribute] === 'warn') {
    return { tone: 'hint', text: `Accepted, with a hint: ${WORDS[attribute]}.` };
  }
  return { tone: 'accepted', text: `Accepted: ${says ?? WORDS[attribute] ?? state}.` };
}

const why = (status) => (status === 0 ? 'no response' : status === 200 ? 'no result' : `status ${status}`);

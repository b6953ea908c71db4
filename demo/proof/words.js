/** What the names in a proof mean, and why a server refuses one. */

export const HEADER_MEANINGS = {
  alg: 'How it is signed. Your server takes no other algorithm.',
  kid: 'The name of the key that signed it.',
  typ: 'What it is, so that no other token passes for a proof.',
};

export const CLAIM_MEANINGS = {
  iss: 'The service that signed it. Your server accepts only its own service.',
  aud: 'The origin of the page. Your server accepts only its own page.',
  iat: 'When it was signed.',
  exp: 'When it ends.',
  jti: 'A random name of this proof. A server that keeps it accepts each proof once.',
  email: 'The address that was verified. Your server compares it with the address in the form.',
  state: 'Whether the address receives mail: deliverable, undeliverable, risky or unknown.',
  reason: 'What led to that state.',
  score: 'How certain the service is, from 0 to 100.',
  accept_all: 'Whether the domain accepts every address. It is null if that was not found out.',
  disposable: 'Whether it is an address to be thrown away.',
  role: 'Whether it belongs to a role, such as support, and not to a person.',
  free: 'Whether its provider gives addresses away free of charge.',
  did_you_mean: 'The address that was probably meant. It is null if there is no such address.',
  test: 'A test key caused it, so the result is a sample. A server refuses it unless told otherwise.',
};

/** By the code of the verifier. */
export const REFUSALS = {
  absent: 'The form has no proof. A server would ask the API.',
  malformed: 'It is not a proof, or not of this kind.',
  'unknown-key': 'The service does not have this key.',
  'keys-unavailable': 'The service did not respond with its keys.',
  signature: 'Someone else signed it, or changed it.',
  issuer: 'It is of another service.',
  audience: 'It is for a page of another origin.',
  expired: 'Its time is over. A server would ask the API.',
  'test-key': 'A test key caused it.',
  'other-address': 'It is about another address.',
  replayed: 'It was used before.',
};

const TIMES = ['iat', 'exp'];

/** A value as people read it: as JSON, and the time of a number that is one. */
export function wordValue(name, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!TIMES.includes(name) || typeof value !== 'number') return text;
  return `${text}, which is ${new Date(value * 1000).toLocaleTimeString('en-GB')}`;
}

/** What the names in a token of the Email Verification Protocol mean, and what a server checks. */

/** By the code of `verifyEmailToken`, in the order of its checks. */
export const CHECKS = {
  absent: 'The form has a token.',
  malformed: 'It is a token of this kind, with an algorithm that is known.',
  typ: 'Its first part is a provider’s token.',
  'kb-typ': 'Its second part is a browser’s.',
  audience: 'It is for this page.',
  nonce: 'It is for your session, and was not used before.',
  'issued-at': 'It is at most 5 minutes old.',
  'sd-hash': 'The browser has signed the first part, too.',
  'email-verified': 'The provider says that the visitor controls the address.',
  'other-address': 'It is about the address in the form.',
  'no-key': 'It names the key of the browser.',
  'kb-signature': 'The browser has signed it with that key.',
  'no-issuer': 'In DNS, the domain of the address names who issues its tokens.',
  'issuer-unavailable': 'That host responds.',
  issuer: 'The token is of that host.',
  'unknown-key': 'That host has the key that the token names.',
  signature: 'That host has signed it.',
};

export const ISSUED_MEANINGS = {
  alg: 'How it is signed.',
  kid: 'The name of the provider’s key that signed it.',
  typ: 'What it is, so that no other token passes for it.',
  iss: 'The provider. The server compares it with DNS, because anyone could write it here.',
  iat: 'When it was signed.',
  exp: 'When it ends.',
  cnf: 'The public key that the browser has made for this page.',
  email: 'The address that the visitor controls.',
  email_verified: 'That the provider has verified this.',
};

export const BOUND_MEANINGS = {
  alg: 'How it is signed.',
  typ: 'What it is, so that no other token passes for it.',
  aud: 'The origin of this page.',
  nonce: 'A random text of your session. The server accepts it once.',
  iat: 'When it was signed.',
  sd_hash: 'The hash of what the provider signed.',
};

/**
 * Every state that a visitor can meet, and what brings a field there. `options` are the input's own. `asked` are the
 * page's own while the request is made: `simulate` names a failure that the demo's service simulates.
 */

const SUGGESTED = [
  {
    id: 'suggestion-rejected',
    name: 'Rejected',
    says: 'The address gets no mail.',
    address: 'julia@gmial.com',
  },
  {
    id: 'suggestion-accepted',
    name: 'Accepted',
    says: 'Nobody knows whether it gets mail, and it looks mistyped.',
    address: 'ann@gmial.com',
  },
  {
    id: 'long-suggestion',
    name: 'A long suggestion',
    says: 'Long addresses break.',
    address: 'maria-magdalena.von-und-zu-liechtenstein.kanzlei@hotmial.com',
  },
];

const CHECKING = [
  {
    id: 'verifying',
    name: 'Verifying',
    says: 'The service has not answered yet.',
    address: 'slow@example.com',
    // Held for an hour by a captcha that does not come.
    asked: { captcha: () => new Promise(() => {}), verificationTimeout: 3600 },
  },
  {
    id: 'waiting',
    name: 'Waiting',
    says: 'The visitor is typing.',
    address: 'risky@example.com',
    options: { verifyOn: 'submit' },
    begin(input) {
      // A script's `input` event counts where a visitor has been.
      input.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    },
  },
  { id: 'untouched', name: 'Nothing known', says: 'Untouched or empty.' },
];

const ACCEPTED = [
  {
    id: 'accepted',
    name: 'Accepted',
    says: 'Nothing to say.',
    address: 'deliverable@example.com',
  },
  {
    id: 'accepted-unknown',
    name: 'Unknown',
    says: 'Allowed by default.',
    address: 'unknown@example.com',
  },
  ...['role', 'free', 'disposable'].map((attribute) => ({
    id: `hint-${attribute}`,
    name: `Hint: ${attribute}`,
    says: `\`allow.${attribute}\` is \`'warn'\`.`,
    address: `${attribute}@example.com`,
    options: { allow: { [attribute]: 'warn' } },
  })),
];

const REJECTED = [
  {
    id: 'rejected',
    name: 'No such mailbox',
    says: '`undeliverable` is not in `allow.states`.',
    address: 'undeliverable@example.com',
  },
  {
    id: 'rejected-unusable',
    name: 'Not an address',
    says: 'The widget rejects it without a request.',
    address: 'joe@nowhere',
  },
  ...['disposable', 'role', 'free'].map((attribute) => ({
    id: `rejected-${attribute}`,
    name: `${attribute[0].toUpperCase()}${attribute.slice(1)}`,
    says: `\`allow.${attribute}\` is \`false\`.`,
    address: `${attribute}@example.com`,
    options: { allow: { [attribute]: false } },
  })),
  {
    id: 'rejected-risky',
    name: 'Risky',
    says: '`risky` is not in `allow.states`.',
    address: 'risky@example.com',
    options: { allow: { states: ['deliverable', 'unknown'] } },
  },
  {
    id: 'rejected-unknown',
    name: 'Unknown',
    says: '`unknown` is not in `allow.states`.',
    address: 'unknown@example.com',
    options: { allow: { states: ['deliverable', 'risky'] } },
  },
  {
    id: 'rejected-one',
    name: 'One of several',
    says: 'The input is `multiple`.',
    address: 'deliverable@example.com, undeliverable@example.com',
    multiple: true,
  },
  {
    id: 'long-message',
    name: 'A long message',
    says: 'Lines and long words break.',
    address: 'undeliverable@example.com',
    options: {
      messages: {
        invalid:
          'Diese E-Mail-Adresse gibt es anscheinend nicht. Bitte prüfen Sie Ihre E-Mail-Adressenschreibweise.',
      },
    },
  },
];

const LIMITED = {
  id: 'limited',
  name: 'Blocked',
  says: '`blockOnRateLimit` is `true`.',
  address: 'visitor@example.com',
  asked: { simulate: 'rate-limit' },
};

const UNREACHABLE = {
  id: 'unreachable',
  name: 'Unreachable',
  says: 'The connection breaks.',
  address: 'unknown@example.com',
  asked: { simulate: 'offline' },
};

const TROUBLED = [
  {
    ...LIMITED,
    id: 'unlimited',
    name: 'Rate limited',
    says: '`blockOnRateLimit` is `false`, the default.',
  },
  {
    id: 'too-slow',
    name: 'Too slow',
    says: 'The widget asks five times and gets no result.',
    address: 'slow@example.com',
  },
  UNREACHABLE,
  {
    id: 'down',
    name: 'Maintenance',
    says: 'The service says that it is down.',
    address: 'risky@example.com',
    asked: { simulate: 'maintenance' },
  },
  {
    id: 'no-token',
    name: 'No captcha',
    says: 'The page’s captcha gives no token.',
    address: 'deliverable@example.com',
    asked: { captcha: () => Promise.reject() },
  },
  {
    id: 'captcha-refused',
    name: 'Captcha refused',
    says: 'The service refuses the token.',
    address: 'role@example.com',
    asked: { simulate: 'captcha', captcha: () => 'stale' },
  },
  {
    id: 'key-refused',
    name: 'Key refused',
    says: 'The key is wrong, or does not trust this page.',
    address: 'free@example.com',
    asked: { simulate: 'key-refused' },
  },
];

const one = (list, id) => list.find((specimen) => specimen.id === id);

/** By the names that frames ask for. */
export const GROUPS = {
  suggested: { title: 'Suggestion', specimens: SUGGESTED },
  rejected: { title: 'Rejected', specimens: REJECTED },
  checking: { title: 'Checking', specimens: CHECKING },
  accepted: { title: 'Accepted', specimens: ACCEPTED },
  limited: { title: 'Rate limited', specimens: [LIMITED] },
  troubled: { title: 'Service trouble', options: { blockOnRateLimit: false }, specimens: TROUBLED },
  /** One of each kind. */
  theme: {
    title: 'Every state',
    specimens: [
      one(CHECKING, 'verifying'),
      { ...one(REJECTED, 'rejected'), name: 'Rejected' },
      { ...one(SUGGESTED, 'suggestion-rejected'), name: 'Rejected, with a suggestion' },
      { ...one(SUGGESTED, 'suggestion-accepted'), name: 'Accepted, with a suggestion' },
      { ...one(ACCEPTED, 'hint-role'), name: 'Accepted, with a hint' },
      one(REJECTED, 'long-message'),
      { ...LIMITED, name: 'Rate limited' },
      { ...UNREACHABLE, name: 'No verdict', placements: ['floating'] },
      { ...one(ACCEPTED, 'accepted'), placements: ['floating'] },
      { ...one(CHECKING, 'waiting'), placements: ['floating'] },
    ],
  },
};

/**
 * How other verifiers read a refusal of RCPT, as their public source had it when it was read in November 2026. Stated
 * again as data: the first rule that fits decides. Words are searched for in the whole reply in lower case.
 */

export interface Rule {
  readonly codes?: readonly number[];
  /** One of them is in the reply. Without words, the code alone decides. */
  readonly words?: readonly string[];
  readonly isMissing: boolean;
}

export interface PublishedRules {
  readonly name: string;
  readonly sources: readonly string[];
  readonly rules: readonly Rule[];
  /** What a refusal means that no rule fits. */
  readonly otherwise: boolean;
}

const MISSING = { isMissing: true } as const;
const OTHER = { isMissing: false } as const;
const GITHUB = 'https://github.com';

export const PUBLISHED_RULES: readonly PublishedRules[] = [
  {
    name: 'check-if-email-exists',
    sources: [
      `${GITHUB}/reacherhq/check-if-email-exists/blob/0c85e87d148b3feb448cdff49c7b69ca830462d2/core/src/smtp/parser.rs`,
      `${GITHUB}/reacherhq/check-if-email-exists/blob/0e51eb686dad6bd2ec827e785bf9c30ccc88cde1/core/src/smtp/connect.rs`,
    ],
    rules: [
      { words: ['disabled', 'discontinued', 'inactive'], ...MISSING },
      {
        words: ['insufficient', 'mailbox full', 'quote exceeded', 'over quota', 'too many messages'],
        ...OTHER,
      },
      { words: ['the user you are trying to contact is receiving mail at a rate that'], ...OTHER },
      {
        words: [
          ...[
            'address rejected',
            'unrouteable',
            'does not exist',
            'invalid address',
            'invalid email address',
          ],
          ...[
            'invalid recipient',
            'may not exist',
            'recipient invalid',
            'recipient rejected',
            'undeliverable',
          ],
          ...['unknown recipient', 'user unknown', 'unknown user', 'recipient unknown', 'no such user'],
          ...['mailbox not found', 'invalid mailbox', 'no mailbox', 'no such mailbox', 'mailbox unavailable'],
          ...['mailbox is unavailable', 'not a valid mailbox', 'no such recipient', 'have an account'],
          ...['unknown local part', 'no longer available', "dosn't exist", 'could not be found'],
          ...['no such person', 'address error', 'address is not handled', 'recipient is not exist'],
        ],
        ...MISSING,
      },
    ],
    otherwise: false,
  },
  {
    name: 'email-verifier',
    sources: [
      `${GITHUB}/AfterShip/email-verifier/blob/3aaab369c18f0581494204fb9ab02b879847fcc6/error.go`,
      `${GITHUB}/AfterShip/email-verifier/blob/0014399c9f657c8f9a7161ae046247c5eebdfcb1/smtp.go`,
    ],
    rules: [
      {
        words: [
          ...['undeliverable', 'does not exist', 'may not exist', 'user unknown', 'user not found'],
          ...['invalid address', 'recipient invalid', 'recipient rejected', 'address rejected', 'no mailbox'],
        ],
        ...MISSING,
      },
      { codes: [421, 450, 451, 452, 503, 551, 552, 553, 554], ...OTHER },
      {
        codes: [550],
        words: [
          'spamhaus',
          'proofpoint',
          'cloudmark',
          'banned',
          'blacklisted',
          'blocked',
          'block list',
          'denied',
        ],
        ...OTHER,
      },
      { codes: [550], ...MISSING },
      {
        words: [
          'spamhaus',
          'proofpoint',
          'cloudmark',
          'banned',
          'blocked',
          'denied',
          'timeout',
          'no such host',
        ],
        ...OTHER,
      },
      { words: ['unavailable'], ...MISSING },
    ],
    otherwise: false,
  },
  {
    name: 'truemail, with `smtp_safe_check`',
    sources: [`${GITHUB}/truemail-rb/truemail/blob/master/lib/truemail/validate/smtp.rb`],
    rules: [{ codes: [550], words: ['user', 'account', 'customer', 'mailbox'], ...MISSING }],
    otherwise: false,
  },
  {
    name: 'truemail, by default',
    sources: [`${GITHUB}/truemail-rb/truemail/blob/master/lib/truemail/validate/smtp.rb`],
    rules: [],
    otherwise: true,
  },
];

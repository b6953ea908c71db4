import { afterEach, describe, expect, it } from 'vitest';
import type { Allow } from '../../../src/protocol/policy.ts';
import { type CheckedResult, STATES } from '../../../src/protocol/result.ts';
import { judge, type Messages, messageOf } from '../../../src/widget/check/policy.ts';

const MESSAGES: Messages = {
  verifying: 'VERIFYING',
  invalid: 'INVALID',
  malformed: 'MALFORMED',
  role: 'ROLE',
  free: 'FREE',
  disposable: 'DISPOSABLE',
  didYouMean: 'MEAN [EMAIL]',
  rateLimited: 'RATE LIMITED',
};

const DEFAULT: Allow = {
  states: ['deliverable', 'risky', 'unknown'],
  free: true,
  role: true,
  disposable: false,
};
const NOTHING: Allow = { states: [], free: false, role: false, disposable: false };

const EVERYTHING_WRONG = { disposable: true, role: true, free: true, did_you_mean: 'joe@b.example' };

function verdict(
  attributes: Record<string, unknown>,
  allow: Partial<Allow> = {},
  messages: Partial<Messages> = {},
) {
  const result = { state: 'deliverable', ...attributes } as CheckedResult;
  const said = judge(result, { ...DEFAULT, ...allow }, { ...MESSAGES, ...messages });
  return [said._rejects ? 'rejected' : 'accepted', messageOf(said)];
}

describe('a state that is not allowed', () => {
  it('is rejected as invalid', () => {
    expect(verdict({ state: 'undeliverable' })).toEqual(['rejected', 'INVALID']);
  });

  it('is rejected with the suggestion where there is one', () => {
    expect(verdict({ state: 'undeliverable', did_you_mean: 'joe@b.example' })).toEqual([
      'rejected',
      'MEAN joe@b.example',
    ]);
  });

  it('comes before everything else', () => {
    expect(verdict({ state: 'risky', ...EVERYTHING_WRONG }, NOTHING)).toEqual([
      'rejected',
      'MEAN joe@b.example',
    ]);
    expect(verdict({ state: 'risky', ...EVERYTHING_WRONG, did_you_mean: null }, NOTHING)).toEqual([
      'rejected',
      'INVALID',
    ]);
  });

  it.each(STATES)('is the page’s own choice: %s alone', (allowed) => {
    const outcomes = STATES.map((state) => verdict({ state }, { states: [allowed] })[0]);
    expect(outcomes).toEqual(STATES.map((state) => (state === allowed ? 'accepted' : 'rejected')));
  });

  it('is rejected in every state if no state is allowed', () => {
    expect(STATES.map((state) => verdict({ state }, { states: [] })[0])).toEqual(
      STATES.map(() => 'rejected'),
    );
  });
});

describe('an attribute that is not allowed', () => {
  it.each([
    ['disposable', 'DISPOSABLE'],
    ['role', 'ROLE'],
    ['free', 'FREE'],
  ])('%s is rejected with its own message', (attribute, message) => {
    expect(verdict({ [attribute]: true }, { [attribute]: false })).toEqual(['rejected', message]);
    expect(verdict({ [attribute]: true }, { [attribute]: true })).toEqual(['accepted', '']);
    expect(verdict({ [attribute]: false }, { [attribute]: false })).toEqual(['accepted', '']);
  });

  it('is checked in the order disposable, role, free', () => {
    const refusing = { disposable: false, role: false, free: false };
    expect(verdict(EVERYTHING_WRONG, refusing)[1]).toBe('DISPOSABLE');
    expect(verdict({ ...EVERYTHING_WRONG, disposable: false }, refusing)[1]).toBe('ROLE');
    expect(verdict({ ...EVERYTHING_WRONG, disposable: false, role: false }, refusing)[1]).toBe('FREE');
  });

  it('comes before a suggestion, which would not make it acceptable', () => {
    expect(verdict({ free: true, did_you_mean: 'joe@b.example' }, { free: false })).toEqual([
      'rejected',
      'FREE',
    ]);
  });

  it('comes before an attribute that only causes a hint', () => {
    expect(verdict(EVERYTHING_WRONG, { disposable: 'warn', role: 'warn', free: false })).toEqual([
      'rejected',
      'FREE',
    ]);
  });
});

describe('an address that is accepted', () => {
  it('shows no message by default, for a free address or a role', () => {
    expect(verdict({ free: true, role: true })).toEqual(['accepted', '']);
  });

  it('is still shown a suggestion', () => {
    expect(verdict({ did_you_mean: 'joe@b.example' })).toEqual(['accepted', 'MEAN joe@b.example']);
  });

  it.each([
    ['disposable', 'DISPOSABLE'],
    ['role', 'ROLE'],
    ['free', 'FREE'],
  ])('shows a hint if %s is allowed as "warn"', (attribute, message) => {
    expect(verdict({ [attribute]: true }, { [attribute]: 'warn' })).toEqual(['accepted', message]);
    expect(verdict({ [attribute]: false }, { [attribute]: 'warn' })).toEqual(['accepted', '']);
  });

  it('shows the hint of the first of disposable, role, free', () => {
    const warning: Partial<Allow> = { disposable: 'warn', role: 'warn', free: 'warn' };
    const wrong = { ...EVERYTHING_WRONG, did_you_mean: null };
    expect(verdict(wrong, warning)[1]).toBe('DISPOSABLE');
    expect(verdict({ ...wrong, disposable: false }, warning)[1]).toBe('ROLE');
    expect(verdict({ ...wrong, disposable: false, role: false }, warning)[1]).toBe('FREE');
    expect(verdict(wrong, { ...warning, disposable: true })[1]).toBe('ROLE');
  });

  it('is shown the suggestion before any other hint', () => {
    expect(verdict(EVERYTHING_WRONG, { disposable: 'warn' })).toEqual(['accepted', 'MEAN joe@b.example']);
  });
});

describe('an attribute of a wrong type counts as absent', () => {
  it.each(['true', 1, {}, [], null])('refused: %j', (value) => {
    expect(
      verdict({ disposable: value, role: value, free: value }, { ...NOTHING, states: ['deliverable'] }),
    ).toEqual(['accepted', '']);
  });

  it.each([true, 1, { toString: () => 'joe@b.example' }, ['joe@b.example'], null, ''])(
    'suggested: %j',
    (value) => {
      expect(verdict({ did_you_mean: value })).toEqual(['accepted', '']);
      expect(verdict({ did_you_mean: value, state: 'undeliverable' })).toEqual(['rejected', 'INVALID']);
    },
  );
});

describe('a suggestion that is not an address is not shown', () => {
  const long = 'x'.repeat(64);

  it.each([
    ['a domain', 'gmail.com'],
    ['a domain without a dot', 'joe@gmail'],
    ['white space', 'joe @gmail.com'],
    ['a line break', 'joe@gmail.com\n'],
    ['markup', '<img/src=x>@gmail.com'],
    ['a script', 'javascript:alert(1)'],
    ['an override of the direction', 'joe\u202e@gmäil.com'],
    ['a space of no width', 'joe@gm\u200bäil.com'],
    ['a control character', 'jöe\u0000@gmail.com'],
    ['half a character', 'jöe\ud800@gmail.com'],
    ['one character too many', `${'ä'.repeat(64)}@${`${'y'.repeat(46)}.`.repeat(4)}a`.padEnd(255, 'a')],
    ['100 kB without an @', 'x'.repeat(100_000)],
    ['an address of 100 kB', `${'ä'.repeat(100_000)}@gmail.com`],
  ])('%s', (_, suggestion) => {
    expect(verdict({ did_you_mean: suggestion })).toEqual(['accepted', '']);
    expect(verdict({ did_you_mean: suggestion, state: 'undeliverable' })).toEqual(['rejected', 'INVALID']);
  });

  it.each([
    ['short', 'a@b.co'],
    ['beyond ASCII', 'jörg@example.com'],
    ['written from right to left', 'ירון@דוגמה.קום'],
    ['long', `${long}@${'y'.repeat(58)}.example`],
    ['as long as can be', `${'ä'.repeat(64)}@${`${'y'.repeat(46)}.`.repeat(4)}a`.padEnd(254, 'a')],
  ])('but one that is %s is shown', (_, suggestion) => {
    expect(verdict({ did_you_mean: suggestion })).toEqual(['accepted', `MEAN ${suggestion}`]);
  });
});

describe('the message', () => {
  const suggestion = { did_you_mean: 'joe@b.example' };

  it('contains the suggestion in the place of each placeholder', () => {
    expect(verdict(suggestion, {}, { didYouMean: '[EMAIL]? Yes, [EMAIL]!' })[1]).toBe(
      'joe@b.example? Yes, joe@b.example!',
    );
  });

  it('may have no placeholder', () => {
    expect(verdict(suggestion, {}, { didYouMean: 'Misspelt?' })).toEqual(['accepted', 'Misspelt?']);
  });

  it('takes the suggestion literally, also with replacement patterns', () => {
    expect(verdict({ did_you_mean: "$&$'$1[EMAIL]<ä>@b.example" })[1]).toBe(
      "MEAN $&$'$1[EMAIL]<ä>@b.example",
    );
  });

  it('keeps a placeholder without a suggestion', () => {
    expect(verdict({ state: 'undeliverable' }, {}, { invalid: 'No [EMAIL] here' })[1]).toBe(
      'No [EMAIL] here',
    );
  });

  it.each([
    ['invalid', { state: 'undeliverable' }],
    ['disposable', { disposable: true }],
    ['didYouMean', { state: 'undeliverable', ...suggestion }],
  ])('may be empty (%s), without an effect on the verdict', (name, result) => {
    expect(verdict(result, {}, { [name]: '' })).toEqual(['rejected', '']);
  });

  it('may be empty for an accepted address', () => {
    expect(verdict(suggestion, {}, { didYouMean: '' })).toEqual(['accepted', '']);
    expect(verdict({ free: true }, { free: 'warn' }, { free: '' })).toEqual(['accepted', '']);
  });
});

describe('in a page that has extended Object.prototype', () => {
  afterEach(() => {
    delete (Object.prototype as Record<string, unknown>).disposable;
  });

  it('judges a parsed result by its own attributes', async () => {
    const { parseResult } = await import('../../../src/protocol/result.ts');
    (Object.prototype as Record<string, unknown>).disposable = true;
    const result = parseResult('{"state":"deliverable"}') as CheckedResult;
    expect(judge(result, DEFAULT, MESSAGES)._rejects).toBe(false);
  });
});

/** What servers say to mislead, by accident or on purpose. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReply } from '../../../src/engine/replies/classify.ts';
import type { ReplyStage } from '../../../src/engine/replies/reply.ts';
import { forTrace } from '../../../src/engine/replies/trace.ts';
import { rounds } from '../../long.mjs';
import { stopIfEndless } from '../../stop-if-endless.ts';
import { loadReplies, loadWordings } from './corpus.ts';
import { CONTEXT, read } from './samples.ts';

const STAGES: readonly ReplyStage[] = ['banner', 'ehlo', 'starttls', 'mail', 'rcpt', 'probe'];

const CORPUS = [...loadReplies(), ...loadWordings()];

/** Real texts about us, faults and what is to be tried again, told by their words alone. */
const INNOCENT = CORPUS.filter(({ code, lines }) => {
  const { rule } = readReply({ code, lines }, CONTEXT);
  return /^about us: (?!policy, x|sender, x)|: (?:fault|to be tried again|server full)$/.test(rule);
})
  .map(({ lines }) => lines.join(' '))
  // Microsoft says it of a mailbox, beside 5.4.1.
  .filter((text) => !/recipient address rejected: access denied/i.test(text));

const TEMPTING = [
  'no.such.user@company.example',
  'user-unknown@unknown-user.example',
  '"user unknown"@company.example',
  'mailbox.full@over-quota.example',
  'does.not.exist@5.1.1.example',
  'unknown@company.example',
  'disabled@mailbox-unavailable.example',
  'invalid@no-such-mailbox.example',
];

describe('a fault, a block or a delay', () => {
  it('is recognised by its words in more than 250 real replies', () => {
    expect(INNOCENT.length).toBeGreaterThan(250);
  });

  it('never condemns an address, with any code and any echo', () => {
    const enhanced = fc
      .tuple(fc.constantFrom(4, 5), fc.constantFrom(1, 2, 3, 4, 5, 6, 7), fc.nat({ max: 30 }))
      .map((digits) => digits.join('.'));
    fc.assert(
      fc.property(
        fc.constantFrom(...INNOCENT),
        fc.constantFrom(...STAGES),
        fc.integer({ min: 400, max: 599 }),
        fc.oneof(enhanced, fc.constantFrom('', '#5.1.1', 'cuda_nsu 5.1.1')),
        fc.constantFrom(...TEMPTING),
        fc.constantFrom(...TEMPTING),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom('\n', ' <echo> ', ' echo ', ' echo: ')), {
          maxLength: 4,
        }),
        fc.boolean(),
        (text, stage, code, prefix, recipient, other, changes, isLoud) => {
          const words = text.split(' ');
          for (const [at, change] of changes) {
            // An echo in the middle of a word is none.
            words[at % words.length] += change.replace('echo', at % 2 ? recipient : other);
          }
          const said = `${prefix} ${words.join(' ')}`;
          const lines = (isLoud ? said.toUpperCase() : said).split('\n');
          const { meaning } = readReply({ code, lines }, { ...CONTEXT, stage, recipient });
          expect(meaning).not.toBe('no-such-mailbox');
        },
      ),
      { numRuns: rounds(1000, 3000) },
    );
  });

  it('never condemns an address with a 4xx', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CORPUS),
        fc.integer({ min: 400, max: 499 }),
        fc.constantFrom('', '4.1.1', '5.1.1', '4.1.2', '4.2.1', '4.6.7', '4.7.1', '4.4.7'),
        ({ lines }, code, prefix) => {
          const { meaning } = readReply({ code, lines: [`${prefix} ${lines.join(' ')}`] }, CONTEXT);
          expect(['temporary', 'about-us', 'mailbox-full']).toContain(meaning);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('junk', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '$&', '\\', '\ud800', '(?<'),
  );

  it('never throws, and its rule is a short text of ours', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        fc.array(text, { maxLength: 5 }),
        fc.constantFrom(...STAGES),
        fc.record({ recipient: text, sender: text, helo: text, mailHost: text }),
        (code, lines, stage, context) => {
          const { rule, meaning } = readReply({ code, lines }, { stage, ...context });
          expect(rule).toMatch(/^[\w :,.-]{1,60}$/);
          if (code >= 300) expect(meaning).not.toBe('accepted');
          expect(forTrace(lines.join('\n'), [context.recipient]).length).toBeLessThanOrEqual(500);
        },
      ),
      { numRuns: rounds(300, 1000) },
    );
  });

  it.each(['__proto__', 'constructor', 'toString', '5.1.1.1.1', '5.99999999999999999999.1', '', ' ', '-'])(
    '"%s" tells nothing',
    (line) => {
      expect(read(`550 ${line}`).meaning).toBe('refused');
      expect(read(`450 ${line}`).meaning).toBe('temporary');
    },
  );

  it('of 250 lines has no code', () => {
    expect(readReply({ code: 550, lines: [] }, CONTEXT).meaning).toBe('refused');
  });
});

describe('a reply of two million characters', () => {
  const SIZE = 2_000_000;
  const pieces = [
    'a',
    ' ',
    'user ',
    'user a b c d ',
    'no such valid known active ',
    'your ip|',
    'sender a ',
    '"',
    '"a"@',
    '@',
    'a@',
    '<',
    '<jane.roe',
    'jane.roe',
    'a.',
    'a-',
    '1.',
    '5.1.',
    '5.1.1 ',
    ':',
    'f:',
    '(#',
    'http:',
    'www.',
    '%40',
    '\n',
    '不存在',
    'メール',
    'e\u0301',
    '\u0301',
    '\ufdfa',
    '\u0000',
    '\ud83d\ude00',
    'ß',
    '|',
    '. ',
    '####',
    'x_',
  ];

  it.each(pieces)('of %j is read to its end', (piece) => {
    const whole = piece.repeat(Math.ceil(SIZE / piece.length));
    const context = { ...CONTEXT, recipient: `${piece.repeat(64)}@company.example` };
    stopIfEndless(() => {
      expect(readReply({ code: 550, lines: whole.split('\n') }, CONTEXT).meaning).not.toBe('accepted');
      expect(readReply({ code: 550, lines: [whole] }, context).meaning).not.toBe('accepted');
      expect(forTrace(whole, [CONTEXT.recipient]).length).toBeLessThanOrEqual(500);
    });
  });
});

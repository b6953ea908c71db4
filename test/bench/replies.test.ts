/** Other verifiers' published rules, on the public corpus of replies. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blockOf } from '../../bench/load/docs.ts';
import { compare, isMissingBy, type Row, refusalsIn } from '../../bench/replies/compare.ts';
import { report } from '../../bench/replies/main.ts';
import { PUBLISHED_RULES } from '../../bench/replies/published-rules.ts';
import { loadReplies } from '../engine/replies/corpus.ts';

const row = (code: number, text: string, stage = 'rcpt'): Row => ({
  ...{ stage, code, lines: text.split('\n') },
  meaning: 'about-us',
});

describe.each([
  [
    'check-if-email-exists',
    ['550 User unknown', '550 The account is DISABLED', '450 Recipient address rejected: Greylisted'],
    ['550 Access denied', '552 over quota, user unknown'],
  ],
  [
    'email-verifier',
    ['550 anything', '450 user unknown', '577 mailbox unavailable'],
    ['550 blocked', '554 no', '452 full', '577 blocked, unavailable', '577 no'],
  ],
  [
    'truemail, with `smtp_safe_check`',
    ['550 no such USER', '550 your account'],
    ['550 no', '551 no such user'],
  ],
  ['truemail, by default', ['421 later'], []],
])('the rules of %s', (name, missing, others) => {
  const rules = PUBLISHED_RULES.find((each) => each.name === name)!;
  const judge = (text: string) => isMissingBy(rules, row(Number(text.slice(0, 3)), text.slice(4)));

  it('take these for a missing mailbox, and no others', () => {
    expect(missing.filter((text) => !judge(text))).toEqual([]);
    expect(others.filter(judge)).toEqual([]);
  });

  it('have a source', () => {
    for (const source of rules.sources) expect(source).toMatch(/^https:\/\/github\.com\//);
    expect(rules.sources.length).toBeGreaterThan(0);
  });
});

it('does not count what is said before RCPT', () => {
  const rows = ['banner', 'ehlo', 'mail', 'rcpt', 'data', 'bounce'].map((stage) => row(550, 'no', stage));
  expect(refusalsIn(rows).map(({ stage }) => stage)).toEqual(['rcpt', 'data', 'bounce']);
});

it('finds that our own rules agree with every row, and that no others do', () => {
  const [ours, ...others] = compare(loadReplies());
  const missing = refusalsIn(loadReplies()).filter(({ meaning }) => meaning === 'no-such-mailbox').length;
  expect(ours).toMatchObject({ wronglyCondemned: 0, recognised: missing });
  for (const { wronglyCondemned } of others) expect(wronglyCondemned).toBeGreaterThan(0);
});

it('is in the documentation as it is counted now', () => {
  expect(blockOf(readFileSync('docs/comparison.md', 'utf8'), 'replies')).toBe(report().trim());
});

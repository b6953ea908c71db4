/** Counts how often published rules take a refusal for a missing mailbox, on the public corpus of replies. */
import { readReply } from '../../src/engine/replies/classify.ts';
import type { Meaning } from '../../src/engine/replies/reply.ts';
import { PUBLISHED_RULES, type PublishedRules } from './published-rules.ts';

/** A reply of `test/engine/replies.json`. */
export interface Row {
  readonly stage: string;
  readonly code: number;
  readonly lines: readonly string[];
  readonly recipient?: string | undefined;
  readonly mailHost?: string | undefined;
  readonly meaning: Meaning;
}

export interface Count {
  readonly name: string;
  readonly sources: readonly string[];
  /** Refusals for another reason that are taken for a missing mailbox. */
  readonly wronglyCondemned: number;
  /** Missing mailboxes that are recognised. */
  readonly recognised: number;
}

/** What is said before RCPT is never about a mailbox, and all of these verifiers know that. */
const BEFORE_RCPT = ['banner', 'ehlo', 'mail'];

export const refusalsIn = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ stage }) => !BEFORE_RCPT.includes(stage));

/** @returns whether the rules take the reply for a missing mailbox */
export function isMissingBy({ rules, otherwise }: PublishedRules, { code, lines }: Row): boolean {
  const text = lines.join(' ').toLowerCase();
  const rule = rules.find(
    ({ codes, words }) =>
      (codes?.includes(code) ?? true) && (words?.some((word) => text.includes(word)) ?? true),
  );
  return rule?.isMissing ?? otherwise;
}

const isMissingByUs = ({ code, lines, recipient, mailHost }: Row): boolean =>
  readReply(
    { code, lines },
    { stage: 'rcpt', recipient: recipient ?? '', sender: '', helo: '', mailHost: mailHost ?? '' },
  ).meaning === 'no-such-mailbox';

const isMissing = ({ meaning }: Row) => meaning === 'no-such-mailbox';

export function compare(rows: readonly Row[]): readonly Count[] {
  const refusals = refusalsIn(rows);
  const count = (name: string, sources: readonly string[], judge: (row: Row) => boolean): Count => {
    const condemned = refusals.filter(judge);
    const recognised = condemned.filter(isMissing).length;
    return { name, sources, recognised, wronglyCondemned: condemned.length - recognised };
  };
  return [
    count('this service', [], isMissingByUs),
    ...PUBLISHED_RULES.map((rules) => count(rules.name, rules.sources, (row) => isMissingBy(rules, row))),
  ];
}

export function reportComparison(rows: readonly Row[]): string {
  const refusals = refusalsIn(rows);
  const missing = refusals.filter(isMissing).length;
  const linked = ({ name, sources }: Count) =>
    sources.length === 0
      ? name
      : `${name} (${sources.map((source) => `[${source.split('/').at(-1)}](${source})`).join(', ')})`;
  return [
    `| rules of | condemn wrongly, of ${refusals.length - missing} | recognise, of ${missing} missing mailboxes |`,
    '| --- | ---: | ---: |',
    ...compare(rows).map((each) => `| ${linked(each)} | ${each.wronglyCondemned} | ${each.recognised} |`),
    '',
  ].join('\n');
}

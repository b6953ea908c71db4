import { expect, it } from 'vitest';
import { readReply } from '../../../src/engine/replies/classify.ts';
import { findLine } from '../../../src/engine/replies/line.ts';
import { loadReplies } from './corpus.ts';
import { CONTEXT } from './samples.ts';

const lineOf = (code: number, ...lines: string[]) => {
  const reply = { code, lines };
  return findLine(reply, CONTEXT, readReply(reply, CONTEXT));
};

it.each<[string, string | undefined]>([
  ['550 blocked using zen.spamhaus.org', 'spamhaus'],
  ['550 your IP is blacklisted', 'blacklist*'],
  ['550 spf failed', 'spf'],
  ['503 need MAIL command', 'need|'],
  ['450 greylisted', 'greylist*'],
  ['452 no space left', 'no space left'],
  ['550 overload', 'overload*'],
  ['552 over quota', 'overquota'],
  ['550 no such user', 'no such|'],
  ['550 <jane.roe@company.example> is closed', 'echoedrecipient is|was|has'],
  ['550 5.7.1 no such user', 'no such user'],
  ['550 SMTPUTF8 is needed', 'smtputf8|'],
  ['550 5.1.1 no', undefined],
  ['450 no', undefined],
  ['250 ok', undefined],
])('finds the line behind the reading of "%s"', (reply, phrase) => {
  const line = lineOf(Number(reply.slice(0, 3)), reply.slice(4));
  if (phrase === undefined) expect(line).toBeUndefined();
  else expect(line?.[0]).toContain(phrase);
});

it('finds one for every reply of the corpus that words have decided', () => {
  const rows = loadReplies();
  const without = rows
    .map((row) => ({ ...row, reading: readReply(row, CONTEXT) }))
    .filter((row) => findLine(row, CONTEXT, row.reading) === undefined)
    .map(({ reading }) => reading.rule);
  // Codes, the sender's own name, and what nothing is known of.
  const others = /x\.\d|temporary code|no known words|about us: sender$|: (?:words)$/;
  expect(without.filter((rule) => !others.test(rule))).toEqual([]);
  expect(without.length).toBeLessThan(rows.length / 2);
});

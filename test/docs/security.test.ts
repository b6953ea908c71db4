/** The page about security, and the policy that GitHub and strangers look for. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COPIED_TABLES, LEFT_TABLES } from '../../src/service/database/backup/copy-database.ts';

const read = (file: string) => readFileSync(file, 'utf8');

it('names tests that exist, for each attack', () => {
  const [, tried = ''] = /\n## What was tried\n([\s\S]*?)\n## /.exec(read('docs/security.md')) ?? [];
  const rows = tried.split('\n').filter((line) => /^\| (?!attack|---)/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const files = [...row.matchAll(/`((?:test|e2e)\/[^`]+)`/g)].map(([, file]) => file!);
    expect(files.length, row).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  }
});

/** An account without credits makes no row of these, or one, or as many as it has addresses at work. */
const OTHERS = [
  ...['accounts', 'account_turns', 'batch_turns', 'notices', 'ledger', 'ledger_days'],
  ...['ledger_months', 'credit_references', 'verifications', 'renewable_results', 'domain_facts'],
  ...['paces', 'conversations', 'conversation_waits', 'conversation_queues', 'processes', 'proof_keys'],
  ...['book_audit', 'challenge_keys', 'sign_in_links'],
];

it('has a limit for each table that an account without credits can fill', () => {
  const [, limits = ''] =
    /\n### What an account without credits can store\n([\s\S]*?)\n## /.exec(read('docs/security.md')) ?? [];
  const limited = [...limits.matchAll(/^\|.*\| ([^|]+) \|$/gm)].flatMap(([, tables = '']) =>
    [...tables.matchAll(/`(\w+)`/g)].map(([, table]) => table!),
  );
  expect([...limited, ...OTHERS].sort()).toEqual([...COPIED_TABLES, ...LEFT_TABLES].sort());
});

describe('the table of the verification standard', () => {
  const [, standard = ''] =
    /\n## Application Security Verification Standard\n([\s\S]*?)\n## /.exec(read('docs/security.md')) ?? [];
  const rows = standard
    .split('\n')
    .filter((line) => /^\| (?!number|---)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('names tests that exist, for each requirement', () => {
    expect(rows.length).toBeGreaterThan(100);
    for (const [, number, , , tests = ''] of rows) {
      const files = [...tests.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
      expect(files.length, number).toBeGreaterThan(0);
      expect(files.filter((file) => !existsSync(file))).toEqual([]);
    }
  });

  it('has each number once, in order', () => {
    const numbers = rows.map(([, number = '']) => /^\d+\.\d+\.\d+/.exec(number)![0].split('.').map(Number));
    const inOrder = [...numbers].sort((one, other) => {
      const place = one.findIndex((part, index) => part !== other[index]);
      return place < 0 ? 0 : one[place]! - other[place]!;
    });
    expect(numbers).toEqual(inOrder);
    expect(new Set(numbers.map(String)).size).toBe(numbers.length);
  });
});

it('has a policy that leads to the private reports of this repository', () => {
  const { repository } = JSON.parse(read('package.json')) as { repository: { url: string } };
  const address = repository.url.replace(/^git\+|\.git$/g, '');
  expect(read('SECURITY.md')).toContain(`](${address}/security/advisories/new)`);
});

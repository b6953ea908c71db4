/** The page about security, and the policy that GitHub and strangers look for. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

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

it('has a policy that leads to the private reports of this repository', () => {
  const { repository } = JSON.parse(read('package.json')) as { repository: { url: string } };
  const address = repository.url.replace(/^git\+|\.git$/g, '');
  expect(read('SECURITY.md')).toContain(`](${address}/security/advisories/new)`);
});

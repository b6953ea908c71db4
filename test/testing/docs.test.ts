/** What the documents tell authors to write is what the tests run. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CAUSES, OUTCOMES } from '../../src/debug/reasons.ts';

/** Each is run by vitest or Playwright, and type-checked. */
const RUN = [
  ...['sandbox.test', 'answers.test', 'sign-up', 'sign-up.test'].map(
    (name) => `test/testing/examples/${name}.ts`,
  ),
  'e2e/testing-kit.spec.ts',
].map((path) => readFileSync(path, 'utf8'));

it('runs every line of docs/testing.md', () => {
  const codes = [...readFileSync('docs/testing.md', 'utf8').matchAll(/^```\w+\n(.*?)^```$/gms)];
  // A file's imports and its tests may have a page of its own between them.
  const parts = codes.flatMap(([, code = '']) => code.split(/\n\n(?=\/\/ The host)/));
  expect(parts).toHaveLength(6);
  for (const part of parts) expect(RUN.some((file) => file.includes(part.trimEnd()))).toBe(true);
});

it('checks the types of the module in docs/debugging.md, and logs its lines', () => {
  const docs = readFileSync('docs/debugging.md', 'utf8');
  expect(docs).toContain(`\`\`\`ts\n${readFileSync('test/debug/example.ts', 'utf8')}\`\`\``);
  const logged = readFileSync('e2e/debug.spec.ts', 'utf8');
  const lines = [...docs.matchAll(/^email-verify-widget: (email: .*)$/gm)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(logged).toContain(line);
});

it('names every reason to verify, and every outcome of a submission, in docs/debugging.md', () => {
  const docs = readFileSync('docs/debugging.md', 'utf8').replaceAll('`', '');
  for (const cause of Object.values(CAUSES)) expect(docs).toContain(`- ${cause}`);
  for (const word of Object.keys(OUTCOMES)) expect(docs).toContain(`| ${word} |`);
});

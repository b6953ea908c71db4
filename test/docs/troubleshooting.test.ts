/** Every message that docs/troubleshooting.md and docs/upgrading.md quote is one that the software says, letter by letter. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { creditsMissing } from '../../src/service/credits/missing-credits.ts';
import { explainError, explainStatus, TooLateError } from '../../src/service/webhooks/explain-webhook.ts';

const SOURCE = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
  .map((name) => readFileSync(`src/${name}`, 'utf8'))
  .join('\n');

/** Messages that the source puts together. */
const COMPOSED = [
  creditsMissing({ needed: 500, available: 20 }).message,
  explainStatus(204),
  explainStatus(301),
  explainError(new TooLateError(), 30_000),
  explainError(Object.assign(new Error(), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), 30_000),
];

/** The widget puts its name before each warning. An ellipsis stands for what differs from time to time. */
function isSaid(message: string): boolean {
  const parts = message.replace(/^email-verify-widget: /, '').split('…');
  return COMPOSED.includes(message) || parts.every((part) => SOURCE.includes(part));
}

/** Lines that begin with `>`, and the first column of tables that begins with one of these words. */
function messagesIn(page: string): string[] {
  const lines = page.split('\n');
  const quoted = lines.filter((line) => /^ *> /.test(line)).map((line) => line.replace(/^ *> /, ''));
  const inTables: string[] = [];
  let isOfMessages = false;
  for (const line of lines) {
    const [, cell] = /^\| (.*?) \|/.exec(line) ?? [];
    if (cell === undefined) isOfMessages = false;
    else if (/^(message|error|what it says)$/.test(cell)) isOfMessages = true;
    else if (isOfMessages && cell !== '---') inTables.push(cell);
  }
  return [...quoted, ...inTables];
}

it.each([
  ['docs/troubleshooting.md', 35],
  ['docs/upgrading.md', 1],
])('quotes messages as they are in %s', (file, least) => {
  const messages = messagesIn(readFileSync(file, 'utf8'));
  expect(messages.length).toBeGreaterThanOrEqual(least);
  expect(messages.filter((message) => !isSaid(message))).toEqual([]);
});

it('recognises a message that the software does not say', () => {
  expect(isSaid('API key is required')).toBe(true);
  expect(isSaid('API key is necessary')).toBe(false);
});

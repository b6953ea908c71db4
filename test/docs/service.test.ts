/** docs/service.md has every event of the log, every reason of a 403 and every admin command. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';

const PAGE = readFileSync('docs/service.md', 'utf8');

const SOURCES = readdirSync('src/service', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
  .map((path) => readFileSync(`src/service/${path}`, 'utf8'));

/** What the service passes to its log, and what a poller or a worker of callbacks logs. */
const EVENTS = [
  /\blog\([^()]*?'(?:info|warn|error)',\s*'([^']+)'/g,
  /\bfailure: '([^']+)'/g,
  /\b(?:tried|notSent|notRecorded|givenUpUnsent|notClaimed): '([^']+)'/g,
].flatMap((pattern) => SOURCES.flatMap((code) => [...code.matchAll(pattern)].map(([, event = '']) => event)));

/** The part of the page under a heading. */
function under(heading: string): string {
  const [, text = ''] = PAGE.split(new RegExp(`^#+ ${heading}$`, 'm'));
  return text.split(/^#/m)[0]!;
}

describe('docs/service.md', () => {
  it('finds the events of the log', () => {
    expect(EVENTS).toEqual(expect.arrayContaining(['request', 'callback', 'batches not claimed', 'doctor']));
  });

  it.each([...new Set(EVENTS)])('has the event "%s"', (event) => {
    const isDescribed = ['Logging', 'Warnings at the start', 'Other events'].some((heading) =>
      under(heading).includes(`\`${event}\``),
    );
    expect(isDescribed).toBe(true);
  });

  it('has every reason of a 403, and no other', () => {
    const [, type = ''] =
      /RefusalReason =(.*?);/s.exec(readFileSync('src/service/core/failures.ts', 'utf8')) ?? [];
    const known = [...type.matchAll(/'(\w+)'/g)].map(([, reason]) => reason);
    const shown = [...under('Why a request was refused').matchAll(/^\| `(\w+)`/gm)].map(
      ([, reason]) => reason,
    );
    expect(known).toContain('unknown_key');
    expect(shown.filter((name) => name !== 'reason').sort()).toEqual(known.sort());
  });

  it.each(COMMANDS.map(({ words }) => words.join(' ')))('has the command "%s"', (words) => {
    expect(under('Admin commands')).toMatch(new RegExp(`\`${words}[ \`]`));
  });
});

/** The command `npm run world`, and `check`, which looks at what it promises. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCheck } from '../../../src/cli/check/run.ts';
import { UsageError } from '../../../src/service/core/usage-error.ts';
import { launch, listening } from '../../service/support/service-process.ts';
import { stopClock } from './clock.ts';
import { runWorld } from './command.ts';
import { SIGHTS } from './sights.ts';

const WORLD = 'dist/world/main.js';
/** As it is printed: what is promised, and below it the command that shows it. */
const SIGHT = /^.+: (\w+) \((\w+)\)\n {2}npm run --silent check -- (.+) --config (\S+)$/gm;

const CONFIG = /^config (.+)\n(?:.*\n)*.*Ctrl\+C/m;
const startWorld = (...flags: string[]) =>
  listening(process.execPath, [WORLD, ...flags], { pattern: CONFIG });

/** Runs `check` in this process. */
async function check(parameters: readonly string[]) {
  let printed = '';
  let said = '';
  await runCheck(['--json', ...parameters], {
    environment: {},
    readFile: (path) => readFileSync(path, 'utf8'),
    print: (text) => {
      printed += text;
    },
    say: (text) => {
      said += text;
    },
  });
  expect(said).toBe('');
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { email: string; state: string; reason: string });
}

/** What the command refuses, or prints before it ends by itself. */
async function runToEnd(...parameters: string[]): Promise<string> {
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const error = await runWorld(parameters, print, () => new Promise(() => {})).catch((thrown) => thrown);
  if (error === undefined) return printed;
  expect([error, printed]).toEqual([expect.any(UsageError), '']);
  return (error as Error).message;
}

const temporaryFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'world-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

it('gives every printed address the promised verdict', async () => {
  const clock = stopClock();
  let end: () => void;
  let ended: Promise<void> | undefined;
  const printed = await new Promise<string>((resolve) => {
    ended = runWorld([], resolve, () => new Promise((done) => (end = done)));
  });
  const [, config = ''] = CONFIG.exec(printed) ?? [];
  const promises = [...printed.matchAll(SIGHT)].map(([, state, reason, words = '', path]) => {
    expect(path).toBe(config);
    const [word = '', ...flags] = words.split(' ');
    const email = word.replace(/^'(.*)'$/, '$1');
    return { email, flags: flags.join(' '), state, reason };
  });
  expect(promises).toHaveLength(SIGHTS.length);
  // Those with the same flags go into one command.
  const runs = [...new Set(promises.map(({ flags }) => flags))].map((flags) => {
    const addresses = promises.filter((promise) => promise.flags === flags).map(({ email }) => email);
    return check([...addresses, ...flags.split(' ').filter(Boolean), '--config', config]);
  });
  const found = (await clock.run(Promise.all(runs))).flat();
  const inOrder = (items: readonly Record<'email' | 'state' | 'reason', string | undefined>[]) =>
    items.map(({ email, state, reason }) => `${email} ${state} ${reason}`).sort();
  expect(inOrder(found)).toEqual(inOrder(promises));
  // Who asks a second time is let in.
  const [again] = await clock.run(check(['ada@greylisted.world.test', '--config', config]));
  expect(again).toMatchObject({ state: 'deliverable' });
  end!();
  await ended;
  expect(existsSync(config)).toBe(false);
});

it('is a command that `check` finds, and that takes its folder away at SIGINT', async () => {
  const { address: config, child, exit } = await startWorld();
  const asked = launch(process.execPath, [
    'dist/check/main.js',
    'ada@accepted.world.test',
    '--config',
    config,
  ]);
  expect([await asked.exit, asked.errors()]).toEqual([0, '']);
  expect(asked.output()).toContain('accepted_email');
  child.kill('SIGINT');
  expect(await exit).toBe(0);
  expect(existsSync(config)).toBe(false);
});

it('writes into the folder of --data, leaves it there, and ends at SIGTERM', async () => {
  const folder = temporaryFolder();
  const { address, child, exit } = await startWorld('--data', folder);
  expect(address).toBe(join(folder, 'world.json'));
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(JSON.parse(readFileSync(address, 'utf8'))).toHaveProperty('live.dns');
  const list = readFileSync(join(folder, 'addresses.txt'), 'utf8').trim().split('\n');
  expect(list).toHaveLength(2_000);
  expect(list).toEqual(expect.arrayContaining(['ada@@accepted.world.test', 'ada@greylisted.world.test']));
  expect(new Set(list.map((line) => line.toLowerCase())).size).toBeLessThan(list.length);
});

it.each<[string, string[], string]>([
  ['an unknown flag', ['--dta', 'x'], 'Expected only --data FOLDER or --help, got "--dta".'],
  ['a word', ['here'], 'Expected only --data FOLDER or --help, got "here".'],
  ['a flag without its value', ['--data'], 'Expected a folder after --data, got nothing.'],
  ['a flag twice', ['--data', 'a', '--data', 'b'], 'Expected --data once, got it twice.'],
])('refuses %s with one sentence', async (_, parameters, sentence) => {
  expect(await runToEnd(...parameters)).toBe(sentence);
});

it('refuses a folder that it cannot write to, with exit code 2 and one line', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { exit, output, errors } = launch(process.execPath, [WORLD, '--data', file]);
  expect([await exit, output()]).toEqual([2, '']);
  expect(errors()).toMatch(/^Expected a folder that can be written to, got ".+" \(\w+\)\.\n$/);
});

it('prints its usage', async () => {
  expect(await runToEnd('--help')).toContain('npm run --silent world');
});

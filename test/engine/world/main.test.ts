/** The built command `npm run world`, and the built `check` that looks at what it promises. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { launch, listening } from '../../service/support/service-process.ts';
import { SIGHTS } from './sights.ts';

const WORLD = 'dist/world/main.js';
/** As it is printed: what is promised, and below it the command that shows it. */
const SIGHT = /^.+: (\w+) \((\w+)\)\n {2}npm run --silent check -- (.+) --config (\S+)$/gm;

const startWorld = (...flags: string[]) =>
  listening(process.execPath, [WORLD, ...flags], { pattern: /^config (.+)\n(?:.*\n)*.*Ctrl\+C/m });

async function check(parameters: readonly string[]) {
  const { exit, output, errors } = launch(process.execPath, ['dist/check/main.js', '--json', ...parameters]);
  expect([await exit, errors()]).toEqual([0, '']);
  return output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { email: string; state: string; reason: string });
}

const temporaryFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'world-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

it('gives every printed address the promised verdict', { timeout: 30_000 }, async () => {
  const { address: config, output, child, exit } = await startWorld();
  const promises = [...output().matchAll(SIGHT)].map(([, state, reason, words = '', path]) => {
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
  const found = (await Promise.all(runs)).flat();
  const inOrder = (items: readonly Record<'email' | 'state' | 'reason', string | undefined>[]) =>
    items.map(({ email, state, reason }) => `${email} ${state} ${reason}`).sort();
  expect(inOrder(found)).toEqual(inOrder(promises));
  // Who asks a second time is let in.
  const [again] = await check(['ada@greylisted.world.test', '--config', config]);
  expect(again).toMatchObject({ state: 'deliverable' });
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
  const { exit, output, errors } = launch(process.execPath, [WORLD, ...parameters]);
  expect([await exit, output(), errors()]).toEqual([2, '', `${sentence}\n`]);
});

it('refuses a folder that it cannot write to', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { exit, errors } = launch(process.execPath, [WORLD, '--data', file]);
  expect(await exit).toBe(2);
  expect(errors()).toMatch(/^Expected a folder that can be written to, got ".+" \(\w+\)\.\n$/);
});

it('prints its usage', async () => {
  const { exit, output } = launch(process.execPath, [WORLD, '--help']);
  expect(await exit).toBe(0);
  expect(output()).toContain('npm run --silent world');
});

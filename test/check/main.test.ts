/** The built command `check`, in a world of scripted servers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VerificationResult } from '../../src/interface/result.ts';
import { exampleResult } from '../../src/testing/replies.ts';
import { timed } from '../engine/world/engine.ts';
import { silence, wait } from '../engine/world/mail-server.ts';
import { startSocksServer } from '../engine/world/socks-server.ts';
import { startWorld, type World } from '../engine/world/world.ts';
import { freePath } from '../service/support/room.ts';
import { launch, writeConfig } from '../service/support/service-process.ts';

const MAIN = 'dist/check/main.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    'good.test': { mailboxes: ['jane@good.test', 'Jane.Doe@good.test'] },
    'all.test': {},
    'grey.test': { greylist: true },
    'silent.test': { rcpt: silence },
    'slow.test': { rcpt: [wait(300), '250 OK'] },
    'escape.test': { rcpt: '550 5.1.1 \u001b[31mred\u0007 no such user' },
  });
});
afterAll(() => world.close());

async function check(parameters: readonly string[], live: object | null = world.live) {
  const config = live === null ? [] : ['--config', writeConfig({ live })];
  const { exit, output, errors } = launch(process.execPath, [MAIN, ...parameters, ...config]);
  return { status: await exit, stdout: output(), stderr: errors() };
}
const resultsOf = (stdout: string): VerificationResult[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('verdicts', () => {
  it('are printed for every address, and nothing else', async () => {
    const { status, stdout, stderr } = await check(['jane@good.test', 'john@good.test', 'not an address']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^jane@good\.test +deliverable +accepted_email +score 100/m);
    expect(stdout).toMatch(/^john@good\.test +undeliverable +rejected_email +score 0/m);
    expect(stdout).toMatch(/^not an address +undeliverable +invalid_email +score 0/m);
    expect(stdout).toContain('User unknown');
  });

  it('are documented results with --json, one per address', async () => {
    const { status, stdout, stderr } = await check(['--json', ' Jane.Doe@good.test ', 'info@all.test']);
    expect([status, stderr]).toEqual([0, '']);
    const results = resultsOf(stdout);
    expect(results).toHaveLength(2);
    for (const result of results) {
      expect(Object.keys(result).sort()).toEqual(Object.keys(exampleResult('a@b.example')).sort());
      expect(typeof result.duration).toBe('number');
    }
    expect(results.find(({ domain }) => domain === 'good.test')).toMatchObject({
      email: 'Jane.Doe@good.test',
      state: 'deliverable',
      accept_all: null,
    });
    expect(results.find(({ domain }) => domain === 'all.test')).toMatchObject({ role: true, score: 90 });
  });

  it('say whether a server accepts all with --accept-all, or by the config', async () => {
    const asked = await check(['--json', '--accept-all', 'jane@all.test']);
    const byDefault = await check(['--json', 'jane@all.test'], { ...world.live, catchAllByDefault: true });
    for (const { stdout } of [asked, byDefault]) {
      expect(resultsOf(stdout)).toMatchObject([{ reason: 'low_deliverability', accept_all: true }]);
    }
  });

  it('ask no mail server with --no-smtp', async () => {
    const before = world.server('all.test').connections;
    const { stdout } = await check(['--json', '--no-smtp', 'jane@all.test', 'jane@gone.test']);
    expect(
      resultsOf(stdout)
        .map(({ reason }) => reason)
        .sort(),
    ).toEqual(['invalid_domain', 'low_deliverability']);
    expect(world.server('all.test').connections).toBe(before);
  });

  it('contain no control characters', async () => {
    const { stdout, stderr } = await check(['--trace', 'jane@escape.test']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
    expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  });
});

describe('time', () => {
  it('is limited for each address by --timeout, and addresses wait in parallel', async () => {
    const addresses = Array.from({ length: 6 }, (_, index) => `jane@silent${index}.test`);
    for (const [index] of addresses.entries()) {
      world.dns.set(`silent${index}.test`, { MX: [[10, `mx.silent${index}.test`]] });
      world.dns.set(`mx.silent${index}.test`, { A: [world.server('silent.test').ip] });
    }
    const [{ status, stdout }, tookMs] = await timed(() => check(['--json', '--timeout', '2', ...addresses]));
    expect(status).toBe(0);
    expect(resultsOf(stdout).map(({ reason }) => reason)).toEqual(Array(6).fill('timeout'));
    expect(Math.max(...resultsOf(stdout).map(({ duration }) => duration))).toBeLessThan(2.5);
    expect(tookMs).toBeLessThan(6000);
  });

  it('ends with the last verdict', async () => {
    const [{ status }, tookMs] = await timed(() => check(['jane@slow.test', 'jane@good.test']));
    expect(status).toBe(0);
    expect(tookMs).toBeLessThan(4000);
  });
});

describe('--trace', () => {
  it('shows every step with its time, and prints only the verdict to standard output', async () => {
    const { stdout, stderr } = await check(['--trace', '--json', '--accept-all', 'jane@good.test']);
    expect(resultsOf(stdout)).toMatchObject([{ accept_all: false }]);
    for (const stage of ['dns', 'connect', 'banner', 'ehlo', 'mail', 'rcpt', 'probe', 'verdict']) {
      expect(stderr).toMatch(new RegExp(`^ *\\d+\\.\\d{3} s  ${stage} `, 'm'));
    }
  });

  it('shows no password of a proxy', async () => {
    const proxy = await startSocksServer({ user: 'someone', password: 'hunter2' });
    const socksProxies = [`socks5://someone:hunter2@127.0.0.1:${proxy.port}`];
    const through = await check(['--trace', 'jane@good.test'], { ...world.live, socksProxies });
    expect(through.stdout).toContain('accepted_email');
    await proxy.close();
    const gone = await check(['--trace', 'jane@good.test'], { ...world.live, socksProxies });
    expect(gone.stdout).toContain('no_connect');
    const wrong = await check(['--trace', 'jane@good.test'], {
      ...world.live,
      socksProxies: ['socks5:someone:hunter2@', 'http://someone:hunter2@127.0.0.1'],
    });
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('socksProxies');
    for (const { stdout, stderr } of [through, gone, wrong]) expect(stdout + stderr).not.toContain('hunter2');
  });
});

describe('--expected', () => {
  function expected(text: string): string {
    const path = freePath();
    writeFileSync(path, text);
    return path;
  }

  it('prints the confusion matrix', async () => {
    const file = expected(
      'email,state\njane@good.test,deliverable\njohn@good.test,undeliverable\njane@grey.test,deliverable\n',
    );
    const { status, stdout } = await check(['--expected', file]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^deliverable +1 +0 +0 +1$/m);
    expect(stdout).toMatch(/^undeliverable +0 +1 +0 +0$/m);
    expect(stdout).toContain('2 of 3 right (66.7 %). Wrongly undeliverable: 0.');
  });

  it('prints only the results to standard output with --json', async () => {
    const { stdout, stderr } = await check(['--json', '--expected', expected('jane@good.test,risky\n')]);
    expect(resultsOf(stdout)).toHaveLength(1);
    expect(stderr).toContain('0 of 1 right');
  });
});

describe('a command line that cannot work', () => {
  it.each([
    [[], 'at least one address'],
    [['--nonsense', 'a@b.test'], '--nonsense'],
    [['--timeout', '11', 'a@b.test'], '--timeout'],
    [['--expected', '/does/not/exist'], '--expected'],
  ])('ends with exit code 2 and one sentence: %j', async (parameters, named) => {
    const { status, stdout, stderr } = await check(parameters);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(named);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('names the fault in the config', async () => {
    const live = { helo: 'verify.example', mailFrom: '', colour: 'red' };
    const { status, stdout, stderr } = await check(['a@b.test'], live);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('colour');
  });

  it('names a config that cannot be read, and one without "live"', async () => {
    const missing = await check(['a@b.test', '--config', '/does/not/exist'], null);
    expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('--config') });
    const empty = await check(['a@b.test', '--config', writeConfig({ keys: [] })], null);
    expect(empty).toMatchObject({ status: 2, stderr: expect.stringContaining('live') });
    const broken = await check(['a@b.test', '--config', writeConfig('{')], null);
    expect(broken.status).toBe(2);
  });

  it('is ignored with --help', async () => {
    const { status, stdout } = await check(['--help'], null);
    expect(status).toBe(0);
    expect(stdout).toContain('--expected FILE');
  });
});

it('takes the config of a service, with keys and a database that stays closed', async () => {
  const config = writeConfig({
    keys: [{ key: 'test_0123456789', kind: 'private' }],
    database: 'no-such-folder/data',
    live: world.live,
  });
  const { status, stdout, stderr } = await check(['jane@good.test', '--config', config], null);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('accepted_email');
});

it('uses the lists of listsFolder, absolute or relative to the config', async () => {
  const folder = freePath();
  mkdirSync(folder);
  writeFileSync(`${folder}/block.txt`, 'all.test\n');
  writeFileSync(`${folder}/disposable.txt`, 'good.test\n# nothing\n');
  writeFileSync(`${folder}/role.txt`, '!info\n');
  const { stdout } = await check(['--json', 'jane@all.test', 'jane@good.test'], {
    ...world.live,
    listsFolder: folder,
  });
  const results = resultsOf(stdout);
  expect(results.find(({ domain }) => domain === 'all.test')?.reason).toBe('invalid_domain');
  expect(results.find(({ domain }) => domain === 'good.test')).toMatchObject({
    reason: 'low_quality',
    disposable: true,
  });
  writeFileSync(`${folder}/allow.txt`, 'good.test\n');
  const relative = await check(['--json', 'jane@good.test'], {
    ...world.live,
    listsFolder: folder.split('/').at(-1),
  });
  expect(resultsOf(relative.stdout)).toMatchObject([{ disposable: false, reason: 'accepted_email' }]);
});

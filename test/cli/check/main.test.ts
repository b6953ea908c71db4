/** The command `check`, in a world of scripted servers: here in this process, and built where a process shows more. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runCheck } from '../../../src/cli/check/run.ts';
import type { VerificationResult } from '../../../src/protocol/result.ts';
import { UsageError } from '../../../src/service/core/usage-error.ts';
import { exampleResult } from '../../../src/testing/replies.ts';
import { ended, stopClockInFile } from '../../engine/world/clock.ts';
import { silence, wait } from '../../engine/world/mail-server.ts';
import { startSocksServer } from '../../engine/world/socks-server.ts';
import { startWorld } from '../../engine/world/world.ts';
import { failureOf } from '../../message-of.ts';
import { freePath } from '../../service/support/room.ts';
import { launch, writeConfig } from '../../service/support/service-process.ts';

const MAIN = 'dist/check/main.js';

const clock = stopClockInFile();
const world = await startWorld({
  'good.test': { mailboxes: ['jane@good.test', 'Jane.Doe@good.test'] },
  'all.test': {},
  'grey.test': { greylist: true },
  'silent.test': { rcpt: silence },
  'slow.test': { rcpt: [wait(300), '250 OK'] },
  'escape.test': { rcpt: '550 5.1.1 \u001b[31mred\u0007 no such user' },
});
afterAll(() => world.close());

const withConfig = (parameters: readonly string[], live: object | null) =>
  live === null ? parameters : [...parameters, '--config', writeConfig({ live })];

/** Runs the built command. */
async function launchCheck(...parameters: readonly string[]) {
  const { exit, output, errors } = launch(process.execPath, [MAIN, ...withConfig(parameters, world.live)]);
  return { status: await exit, stdout: output(), stderr: errors() };
}

/** Runs a command line in this process. The clock moves until it ends. */
async function check(parameters: readonly string[], live: object | null = world.live) {
  let stdout = '';
  let stderr = '';
  await ended(
    runCheck(withConfig(parameters, live), {
      environment: {},
      readFile: (path) => readFileSync(path, 'utf8'),
      print: (text) => {
        stdout += text;
      },
      say: (text) => {
        stderr += text;
      },
    }),
  );
  return { stdout, stderr };
}
/** Why a command line is refused. */
async function refusalOf(parameters: readonly string[], live: object | null = world.live): Promise<string> {
  const error = await failureOf(check(parameters, live));
  expect(error).toBeInstanceOf(UsageError);
  return (error as Error).message;
}
const resultsOf = (stdout: string): VerificationResult[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('verdicts', () => {
  it('are printed for every address by the built command, and nothing else', async () => {
    const addresses = ['jane@good.test', 'john@good.test', 'not an address'];
    const { status, stdout, stderr } = await launchCheck(...addresses);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^jane@good\.test +deliverable +accepted_email +score 100/m);
    expect(stdout).toMatch(/^john@good\.test +undeliverable +rejected_email +score 0/m);
    expect(stdout).toMatch(/^not an address +undeliverable +invalid_email +score 0/m);
    expect(stdout).toContain('User unknown');
  });

  it('are documented results with --json, one per address', async () => {
    const { stdout, stderr } = await check(['--json', ' Jane.Doe@good.test ', 'info@all.test']);
    expect(stderr).toBe('');
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

  it('say whether a server accepts all with --accept-all, which asks a domain once, and not by the config', async () => {
    const { lines } = world.server('all.test');
    const recipients = () => lines().filter((line) => line.startsWith('RCPT')).length;
    const before = recipients();
    const asked = await check(['--json', '--accept-all', 'jane@all.test', 'bo@all.test', 'al@all.test']);
    const risky = { reason: 'low_deliverability', accept_all: true };
    expect(resultsOf(asked.stdout)).toMatchObject([risky, risky, risky]);
    expect(recipients() - before).toBe(4);
    const other = await check(['--json', 'jane@all.test'], { ...world.live, catchAllByDefault: true });
    expect(resultsOf(other.stdout)).toMatchObject([{ reason: 'accepted_email', accept_all: null }]);
  });

  it('ask no mail server with --no-smtp', async () => {
    const before = world.server('all.test').connections;
    const { stdout } = await check(['--json', '--no-smtp', 'jane@all.test', 'jane@gone.test']);
    const reasons = resultsOf(stdout).map(({ reason }) => reason);
    expect(reasons.sort()).toEqual(['invalid_domain', 'low_deliverability']);
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
    const began = clock.at;
    const { stdout } = await check(['--json', '--timeout', '2', ...addresses]);
    const ends = resultsOf(stdout).map(({ reason, duration }) => [reason, duration]);
    expect(ends).toEqual(Array(6).fill(['timeout', 2]));
    // All within the time of one, and of its farewell.
    expect(clock.at - began).toBeLessThan(3000);
  });

  it('ends with the last verdict, and no timer keeps the process', async () => {
    const began = clock.at;
    await check(['jane@slow.test', 'jane@good.test']);
    expect(clock.at - began).toBeLessThan(1000);
    expect(vi.getTimerCount()).toBe(0);
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
    const malformed = ['socks5:someone:hunter2@', 'http://someone:hunter2@127.0.0.1'];
    const live = { ...world.live, socksProxies: malformed };
    const wrong = await refusalOf(['--trace', 'jane@good.test'], live);
    expect(wrong).toContain('socksProxies');
    expect([...Object.values(through), ...Object.values(gone), wrong].join()).not.toContain('hunter2');
  });
});

describe('--expected', () => {
  function expected(text: string): string {
    const path = freePath();
    writeFileSync(path, text);
    return path;
  }

  it('prints the confusion matrix', async () => {
    const states = [
      'jane@good.test,deliverable',
      'john@good.test,undeliverable',
      'jane@grey.test,deliverable',
    ];
    const { stdout } = await check(['--expected', expected(`email,state\n${states.join('\n')}\n`)]);
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

describe('--reply', () => {
  const read = async (...parameters: string[]) => (await check(['--reply', ...parameters], null)).stdout;

  it('prints how a reply is read, and by which rule', async () => {
    expect(await read('550', '5.1.1 User unknown')).toBe(
      [
        'meaning  no-such-mailbox',
        'rule     no such mailbox: x.1.1',
        'result   rejected_email, so undeliverable',
        'pause    no',
        '',
      ].join('\n'),
    );
    expect(await read('550', 'user unknown')).toMatch(/\nwords {4}user\|.*\nsource {3}https:/);
    expect(await read('503', 'need MAIL command')).toContain('pause    yes');
    const aboutDns = await read('550', 'mailbox unavailable', 'invalid DNS MX or A/AAAA resource record');
    expect(aboutDns).toContain('result   unavailable_smtp, so unknown');
  });

  it('reads it at its stage', async () => {
    const result = 'unavailable_smtp, so unknown';
    expect(await read('550', '5.1.1 User unknown', '--stage', 'mail')).toContain(result);
    expect(await read('554', 'No SMTP service', '--stage', 'banner')).toContain(result);
    expect(await read('250', 'ok', '--stage', 'ehlo')).toContain('none: the conversation goes on');
    expect(await read('250', 'ok')).toContain('accepted_email, so deliverable');
  });

  it('does not count an echo of the server or of the recipient', async () => {
    const echo = ['550', 'mx.dnsbl.example: ada@spam.example is disabled'];
    const names = ['--host', 'mx.dnsbl.example', '--recipient', 'ada@spam.example'];
    expect(await read(...echo)).toContain('about-us');
    expect(await read(...echo, ...names)).toContain('no-such-mailbox');
  });

  it('prints one object with --json', async () => {
    expect(JSON.parse(await read('452', '4.2.2 over quota', '--json'))).toEqual({
      meaning: 'mailbox-full',
      rule: 'mailbox full: words',
      slowDown: false,
      words: 'overquota|overquote|overdrawn',
      source: expect.stringMatching(/^https:/),
      reason: 'low_deliverability',
      state: 'risky',
    });
    const greeting = JSON.parse(await read('220', 'hello', '--json', '--stage=banner'));
    expect(greeting).toMatchObject({ reason: null, state: null });
  });
});

describe('a command line that cannot work', () => {
  it('ends the built command with exit code 2 and one sentence', async () => {
    const { status, stdout, stderr } = await launchCheck('--nonsense', 'a@b.test');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--nonsense');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [[], 'at least one address'],
    [['--timeout', '11', 'a@b.test'], '--timeout'],
    [['--reply', 'no', 'User unknown'], '--reply'],
    [['--expected', '/does/not/exist'], '--expected'],
  ])('is refused: %j', async (parameters, named) => {
    expect(await refusalOf(parameters)).toContain(named);
  });

  it('names the fault in the config', async () => {
    const live = { helo: 'verify.example', mailFrom: '', colour: 'red' };
    expect(await refusalOf(['a@b.test'], live)).toContain('colour');
  });

  it('names a config that cannot be read, and one without "live"', async () => {
    const refusalWith = (config: string) => refusalOf(['a@b.test', '--config', config], null);
    expect(await refusalWith('/does/not/exist')).toContain('--config');
    expect(await refusalWith(writeConfig({ keys: [] }))).toContain('live');
    expect(await refusalWith(writeConfig('{'))).toContain('Expected JSON');
  });

  it('is ignored with --help', async () => {
    expect((await check(['--help'], null)).stdout).toContain('--expected FILE');
  });
});

it('takes the config of a service, with keys and a database that stays closed', async () => {
  const config = writeConfig({
    keys: [{ key: 'test_0123456789', kind: 'private' }],
    database: 'no-such-folder/data',
    live: world.live,
  });
  const { stdout, stderr } = await check(['jane@good.test', '--config', config], null);
  expect(stderr).toBe('');
  expect(stdout).toContain('accepted_email');
});

it('uses the lists of listsFolder, absolute or relative to the config', async () => {
  const folder = freePath();
  mkdirSync(folder);
  writeFileSync(`${folder}/block.txt`, 'all.test\n');
  writeFileSync(`${folder}/disposable.txt`, 'good.test\n# nothing\n');
  writeFileSync(`${folder}/role.txt`, '!info\n');
  const live = { ...world.live, listsFolder: folder };
  const { stdout } = await check(['--json', 'jane@all.test', 'jane@good.test'], live);
  const results = resultsOf(stdout);
  expect(results.find(({ domain }) => domain === 'all.test')?.reason).toBe('invalid_domain');
  const good = results.find(({ domain }) => domain === 'good.test');
  expect(good).toMatchObject({ reason: 'low_quality', disposable: true });
  writeFileSync(`${folder}/allow.txt`, 'good.test\n');
  const listsFolder = folder.split('/').at(-1);
  const relative = await check(['--json', 'jane@good.test'], { ...world.live, listsFolder });
  expect(resultsOf(relative.stdout)).toMatchObject([{ disposable: false, reason: 'accepted_email' }]);
});

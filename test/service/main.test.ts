/** The built service as a process of its own: what its operator sees. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownAddresses } from '../../src/service/demo/own-addresses.ts';
import { idOf } from '../../src/service/keys/config-keys.ts';
import { converse } from './raw.ts';
import { freePath } from './support/room.ts';
import { DEMO_LISTENS, listening, MAIN, runToEnd, writeConfig } from './support/service-process.ts';

const KEYS = [{ key: 'test_private', kind: 'private' }];

const run = async (command: string, parameters: string[], pattern?: RegExp) => {
  const { child, ...started } = await listening(command, parameters, pattern && { pattern });
  return { ...started, process: child };
};

describe('the service', { timeout: 30_000 }, () => {
  it('says where it listens, first of all, and logs no address and no key', async () => {
    const { address, errors, process, exit, output } = await run(globalThis.process.execPath, [
      MAIN,
      '--config',
      writeConfig({ keys: KEYS, port: 0 }),
    ]);
    const answer = await fetch(`${address}/v1/verify?api_key=test_private&email=deliverable@example.com`);
    expect(await answer.json()).toMatchObject({ state: 'deliverable' });
    expect((await fetch(`${address}/v2/`)).headers.get('content-type')).toBe(
      'text/javascript; charset=utf-8',
    );
    for (const path of ['locales/de.js', 'locales/auto.js', 'locales/de.mjs']) {
      expect((await fetch(`${address}/v2/${path}`)).status).toBe(200);
    }
    expect((await fetch(`${address}/`)).status).toBe(404);
    process.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(output()).toBe(`listening on ${address}\n`);
    const [named, ...lines] = errors()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(named).toMatchObject({ event: 'config key', key: idOf(KEYS[0]!.key), place: 'keys[0]' });
    // One for each request, the last of them too.
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatchObject({ event: 'request', method: 'GET', route: '/v1/verify', status: 200 });
    expect(errors()).not.toMatch(/test_private|deliverable|example\.com/);
  });

  it('warns at the start of live keys and of domains that anybody can use, by their place in the config', async () => {
    const { errors, process, exit } = await run(globalThis.process.execPath, [
      MAIN,
      '--config',
      writeConfig({
        keys: [
          { key: 'live_hush', kind: 'private' },
          { key: 'test_hush', kind: 'public', trustedDomains: ['shop.example', 'github.io'] },
        ],
        port: 0,
      }),
    ]);
    process.kill('SIGTERM');
    expect(await exit).toBe(0);
    const lines = errors().trim().split('\n');
    expect(lines.slice(2).map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', event: 'config', place: 'keys[0]', advice: expect.stringContaining('503') },
      { level: 'warn', event: 'config', place: 'keys[1].trustedDomains[1]' },
    ]);
    expect(errors()).not.toContain('hush');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes what it is answering when npm gets %s',
    async (signal) => {
      let answerCaptcha: () => void = () => {};
      const provider = createServer((_, response) => {
        answerCaptcha = () => response.end('{"success":true}');
        provider.emit('asked');
      });
      await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void provider.close());
      const siteverifyUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
      const captcha = { provider: 'turnstile', secret: 's', siteverifyUrl };
      const config = writeConfig({
        keys: [{ key: 'test_public', kind: 'public', trustedDomains: ['shop.example'], captcha }],
      });
      const { address, process, exit } = await run('npm', [
        'run',
        '--silent',
        'service',
        '--',
        '--config',
        config,
        '--port',
        '0',
      ]);

      // A kept-alive connection with nothing on it must not hold up the end.
      const idle = await new Promise<IncomingMessage>((resolve) =>
        get(address, { agent: false, headers: { connection: 'keep-alive' } }, resolve),
      );
      idle.resume();
      const asked = new Promise((resolve) => provider.once('asked', resolve));
      const open = new Promise<[number | undefined, string]>((resolve, reject) => {
        const url = `${address}/v1/verify?api_key=test_public&email=deliverable@example.com&captcha_response=t`;
        const headers = { origin: 'https://shop.example', connection: 'keep-alive' };
        request(url, { headers }, (response) => {
          let body = '';
          response.on('data', (chunk) => {
            body += chunk;
          });
          response.on('end', () => resolve([response.statusCode, body]));
        })
          .on('error', reject)
          .end();
      });
      await asked;
      process.kill(signal);
      // Once a new connection is refused, the service is stopping; the open request is still there.
      while (
        await fetch(address).then(
          () => true,
          () => false,
        )
      );
      answerCaptcha();
      expect(await open).toEqual([200, expect.stringContaining('"state":"deliverable"')]);
      const stoppedAt = performance.now();
      expect(await exit).toBe(0);
      expect(performance.now() - stoppedAt).toBeLessThan(3000);
    },
  );

  it('ends with exit code 0 at SIGTERM while it waits for its database', async () => {
    const database = 'postgres://nobody@127.0.0.1:1/none';
    const config = writeConfig({ keys: KEYS, port: 0, database });
    const { process, errors, exit } = await run(globalThis.process.execPath, [MAIN, '--config', config]);
    process.kill('SIGTERM');
    expect([await exit, errors()]).toEqual([0, expect.not.stringContaining('Expected')]);
  });

  it('outlives whatever it is sent, and tells its operator nothing that was in it', async () => {
    const { address, errors, process } = await run(globalThis.process.execPath, [
      MAIN,
      '--config',
      writeConfig({ keys: KEYS, port: 0 }),
    ]);
    const port = Number(new URL(address).port);
    const secrets = 'api_key=test_private&email=jane@company.example';
    const requests = [
      `GET /v1/verify?${secrets} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /${secrets} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /%zz?${secrets} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /v1/verify?${secrets}&timeout=x HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /v1/verify HTTP/1.1\r\nHost: ${secrets}\r\nAuthorization: Bearer test_private\r\n\r\n`,
      `${secrets} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /v1/verify?${secrets} HTTP/1.1\r\n${secrets}\0\r\n\r\n`,
      `POST /v1/verify HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${secrets.length}\r\n\r\n${secrets}`,
      `POST /v1/verify HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${secrets}`,
      `CONNECT ${secrets} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ];
    const statuses: (number | undefined)[] = [];
    for (const text of requests) statuses.push((await converse(port, [text]).closed)[0]?.status);
    expect(statuses).toEqual([200, 404, 400, 400, 400, 400, 400, 400, 400, 405]);
    expect((await fetch(`${address}/v1/verify?${secrets}`)).status).toBe(200);
    process.kill('SIGTERM');
    await once(process, 'close');
    expect(errors()).toContain('"event":"unreadable request","code":"HPE_');
    expect(errors()).not.toMatch(/test_private|jane|company|api_key/);
  });

  it('ends with exit code 1 at a fault that nothing caught, and tells where, not what', async () => {
    const fault = `${freePath()}.mjs`;
    writeFileSync(
      fault,
      `process.on('SIGUSR2', () => { throw new TypeError('test_private jane@company.example'); });`,
    );
    const { process, errors, exit } = await run(globalThis.process.execPath, [
      '--import',
      fault,
      MAIN,
      '--config',
      writeConfig({ keys: KEYS, port: 0 }),
    ]);
    process.kill('SIGUSR2');
    expect(await exit).toBe(1);
    expect(JSON.parse(errors().trim().split('\n').at(-1)!)).toMatchObject({
      level: 'error',
      event: 'uncaught error',
      error: 'TypeError',
    });
    expect(errors()).not.toMatch(/test_private|jane/);
  });

  it.each([
    [
      'a config that is not right',
      () => ['--config', writeConfig({ keys: [{ key: 'test_x', kind: 'pubic' }] })],
      'keys[0].kind',
    ],
    ['a config that is not there', () => ['--config', freePath()], 'Expected a readable file after --config'],
    ['a config that is no JSON', () => ['--config', writeConfig('{')], 'Expected JSON'],
    ['no config', () => [], 'Expected --config FILE'],
    ['an unknown flag', () => ['--demo', '--prot', '1'], 'got --prot'],
    ['a wrong port', () => ['--demo', '--port', 'x'], 'Expected --port'],
  ])('does not start with %s, and says why once', async (_, parameters, message) => {
    const { status, stdout, stderr } = await runToEnd(parameters());
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('shows its flags and starts nothing', async () => {
    const { status, stdout, stderr } = await runToEnd(['--port', 'nonsense', '--help']);
    expect([status, stderr]).toEqual([0, '']);
    for (const flag of ['config', 'host', 'port', 'role', 'demo', 'data', 'help'])
      expect(stdout).toContain(`\n  --${flag} `);
  });

  it('runs without a config file, by the environment alone, and names a variable that is wrong', async () => {
    const EVW_KEYS = JSON.stringify([{ key: 'test_of_environment', kind: 'private' }]);
    const { address } = await listening(process.execPath, [MAIN], {
      environment: { EVW_KEYS, EVW_PORT: '0' },
    });
    const answer = await fetch(`${address}/v1/verify?email=role@example.com&api_key=test_of_environment`);
    expect(answer.status).toBe(200);
    const wrong = await runToEnd(['--port', '0'], {
      environment: { EVW_KEYS, EVW_LIMIT_UNIQUE_PER_DAY: '5' },
    });
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      'Expected only known variables that begin with EVW_, got EVW_LIMIT_UNIQUE_PER_DAY. The nearest known name is EVW_LIMITS_UNIQUE_PER_DAY.\n',
    ]);
  });

  it.each(['config', 'command line'])('does not move from a port in use that the %s names', async (place) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { status, stdout, stderr } =
      place === 'config'
        ? await runToEnd(['--config', writeConfig({ keys: KEYS, port })])
        : await runToEnd(['--demo', '--data', freePath(), '--port', String(port)]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^Expected port ${port} on 127.0.0.1 to be free, .*--port.*\\n$`));
  });
});

describe('the demo', { timeout: 30_000 }, () => {
  it('prints its address and its keys, works with both, takes the next port when its own is taken, and logs refusals only', async () => {
    const start = () => run(process.execPath, [MAIN, '--demo', '--data', freePath()], DEMO_LISTENS);
    const first = await start();
    const second = await start();
    expect(second.address).not.toBe(first.address);
    expect(first.output()).toContain('test_public_demo');
    const query = 'email=deliverable@example.com';
    const asPage = await fetch(`${second.address}/v1/verify?api_key=test_public_demo&${query}`, {
      headers: { origin: second.address },
    });
    const asProgram = await fetch(`${second.address}/v1/verify?api_key=test_private_demo&${query}`);
    expect([asPage.status, asProgram.status]).toEqual([200, 200]);
    const foreign = await fetch(`${second.address}/v1/verify?api_key=test_public_demo&${query}`, {
      headers: { origin: 'http://192.168.1.5:3000' },
    });
    expect(foreign.status).toBe(403);
    second.process.kill('SIGTERM');
    await second.exit;
    const lines = second.errors().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'request', status: 403, key: expect.stringMatching(/^key_/), reason: 'untrusted_origin' },
    ]);
  });

  it('opens to the network on request, prints the URLs for phones, and its key trusts pages there', async () => {
    const parameters = [MAIN, '--demo', '--data', freePath(), '--port', '0', '--host', '0.0.0.0'];
    const { address, output } = await run(process.execPath, parameters, DEMO_LISTENS);
    const { port } = new URL(address);
    const origins = ownAddresses('0.0.0.0').map((own) => `http://${own}:${port}`);
    const printed = [...output().matchAll(/^ {2}Phone {6}(http\S+)\/$/gm)].map(([, url]) => url);
    expect(printed).toEqual(origins);
    const query = 'api_key=test_public_demo&email=deliverable@example.com';
    const statusAs = async (origin: string, headers: Record<string, string>) =>
      (await fetch(`${origin}/v1/verify?${query}`, { headers })).status;
    for (const origin of origins) {
      // As a browser sends it without TLS: neither Origin nor Sec-Fetch-Site.
      expect(await statusAs(origin, { referer: `${origin}/` })).toBe(200);
      expect(await statusAs(origin, { origin: `${origin.replace(/:\d+$/, '')}:3000` })).toBe(200);
    }
    expect(await statusAs(address, { origin: 'http://198.51.100.7:3000' })).toBe(403);
  });
});

/** The built service as a process of its own: what its operator sees. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownAddresses } from '../../../src/service/demo/own-addresses.ts';
import { idOf } from '../../../src/service/keys/config-keys.ts';
import { inLong } from '../../in-long.ts';
import { isLong } from '../../long.mjs';
import { listenOnLoopback } from '../../loopback.ts';
import { converse } from '../raw.ts';
import { freePath } from '../support/room.ts';
import {
  type ListeningProcess,
  listening,
  MAIN,
  runToEnd,
  serve,
  startDemo,
  writeConfig,
} from '../support/service-process.ts';

const KEYS = [{ key: 'test_private', kind: 'private' }];

describe('the service', () => {
  let service: ListeningProcess;
  const kills: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const keys = [
      ...KEYS,
      { key: 'live_hush', kind: 'private' },
      { key: 'test_hush', kind: 'public', trustedDomains: ['shop.example', 'github.io'] },
    ];
    service = await serve({ keys }, { atEnd: (kill) => kills.push(kill) });
  });
  afterAll(() => Promise.all(kills.map((kill) => kill())));
  const statusOf = async (path: string) => (await fetch(service.address + path)).status;

  it('verifies, and serves the widget', async () => {
    const query = 'api_key=test_private&email=deliverable@example.com';
    const answer = await fetch(`${service.address}/v1/verify?${query}`);
    expect(await answer.json()).toMatchObject({ state: 'deliverable' });
    const script = await fetch(`${service.address}/v2/`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    for (const file of ['de.js', 'auto.js', 'de.mjs'])
      expect(await statusOf(`/v2/locales/${file}`)).toBe(200);
    expect(await statusOf('/')).toBe(404);
  });

  it('outlives whatever it is sent', async () => {
    const port = Number(new URL(service.address).port);
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
    expect(await statusOf(`/v1/verify?${secrets}`)).toBe(200);
  });

  it('has said where it listens, first of all, and what its config lacks, but no address and no key', async () => {
    service.child.kill('SIGINT');
    expect(await service.exit).toBe(0);
    expect(service.output()).toBe(`listening on ${service.address}\n`);
    const events = service
      .errors()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.slice(0, 5)).toMatchObject([
      { event: 'config key', key: idOf(KEYS[0]!.key), place: 'keys[0]' },
      { event: 'config key', place: 'keys[1]' },
      { event: 'config key', place: 'keys[2]' },
      { level: 'warn', event: 'config', place: 'keys[1]', advice: expect.stringContaining('503') },
      { level: 'warn', event: 'config', place: 'keys[2].trustedDomains[1]' },
    ]);
    expect(events[5]).toMatchObject({ event: 'request', method: 'GET', route: '/v1/verify', status: 200 });
    expect(events.at(-1)).toMatchObject({ event: 'request', route: '/v1/verify', status: 200 });
    expect(service.errors()).toContain('"event":"unreadable request","code":"HPE_');
    expect(service.errors()).not.toMatch(/test_private|hush|deliverable|example\.com|jane|company|api_key/);
  });
});

describe('a process', () => {
  // A signal that npm passes on differs in nothing from one that the process gets.
  it.each<NodeJS.Signals>(isLong ? ['SIGTERM', 'SIGINT'] : ['SIGTERM'])(
    'runs by the environment alone, and finishes what it is answering when npm gets %s',
    async (signal) => {
      let answerCaptcha: () => void = () => {};
      const provider = createServer((_, response) => {
        answerCaptcha = () => response.end('{"success":true}');
        provider.emit('asked');
      });
      const siteverifyUrl = `http://127.0.0.1:${await listenOnLoopback(provider)}/`;
      const captcha = { provider: 'turnstile', secret: 's', siteverifyUrl };
      const keys = [{ key: 'test_public', kind: 'public', trustedDomains: ['shop.example'], captcha }];
      const { address, child, exit } = await listening('npm', ['run', '--silent', 'service'], {
        environment: { EVW_KEYS: JSON.stringify(keys), EVW_PORT: '0' },
      });

      // A kept-alive connection with nothing on it must not hold up the end.
      const idle = connect(Number(new URL(address).port), '127.0.0.1');
      idle.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(idle, 'data');
      const asked = new Promise((resolve) => provider.once('asked', resolve));
      const open = new Promise<[number | undefined, string | undefined, string]>((resolve, reject) => {
        const url = `${address}/v1/verify?api_key=test_public&email=deliverable@example.com&captcha_response=t`;
        const headers = { origin: 'https://shop.example', connection: 'keep-alive' };
        const sent = request(url, { headers }, async (response) => {
          resolve([response.statusCode, response.headers.connection, await text(response)]);
        });
        sent.on('error', reject).end();
      });
      await asked;
      idle.resume();
      child.kill(signal);
      // If this took as long as a client may take, the open request would be cut off too.
      await once(idle, 'close');
      answerCaptcha();
      expect(await open).toEqual([200, 'close', expect.stringContaining('"state":"deliverable"')]);
      expect(await exit).toBe(0);
    },
  );

  it('ends with exit code 1 at a fault that nothing caught, and tells where, not what', async () => {
    const fault = `${freePath()}.mjs`;
    const thrown = `new TypeError('test_private jane@company.example')`;
    writeFileSync(fault, `process.on('SIGUSR2', () => { throw ${thrown}; });`);
    const parameters = ['--import', fault, MAIN, '--config', writeConfig({ keys: KEYS, port: 0 })];
    const { child, errors, exit } = await listening(process.execPath, parameters);
    child.kill('SIGUSR2');
    expect(await exit).toBe(1);
    const last = JSON.parse(errors().trim().split('\n').at(-1)!);
    expect(last).toMatchObject({ level: 'error', event: 'uncaught error', error: 'TypeError' });
    expect(errors()).not.toMatch(/test_private|jane/);
  });

  it('does not start with a config that is not there, and says why once', async () => {
    const { status, stdout, stderr } = await runToEnd(['--config', freePath()]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Expected a readable file after --config.*\n$/);
  });

  /** Starts it while the promise of this code makes the documentation. */
  function startMaking(docs: string) {
    const start = `
      import { run } from ${JSON.stringify(pathToFileURL('dist/service/run.js').href)};
      await run({ folder: process.cwd(), parameters: process.argv.slice(1), making: { docs: ${docs} } });`;
    const config = writeConfig({ keys: KEYS, port: 0 });
    const parameters = ['--input-type=module', '--eval', start, '--', '--config', config];
    return listening(process.execPath, parameters);
  }

  it('logs one line for a part that cannot be built, and serves the others', async () => {
    const docs = `Promise.reject(new Error('docs/a.md:3: a dead link.\\ndocs/b.md:4: another.'))`;
    const { address, errors, child, exit } = await startMaking(docs);
    const page = await fetch(`${address}/docs/start/`);
    expect(page.status).toBe(503);
    expect(await page.text()).toContain('This page could not be made');
    expect((await fetch(`${address}/reference/`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    const failures = errors().match(/.*build failed.*/g) ?? [];
    expect(failures.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'error', part: 'docs', reason: 'docs/a.md:3: a dead link.' }),
    ]);
  });

  it('logs no failure of a build that ends because the service is stopped', async () => {
    const docs = `new Promise((_, reject) => process.once('SIGTERM', () => reject(new Error('cut off'))))`;
    const { errors, child, exit } = await startMaking(docs);
    child.kill('SIGTERM');
    expect([await exit, errors()]).toEqual([0, expect.not.stringContaining('build failed')]);
  });

  it('shows its flags and starts nothing', async () => {
    const { status, stdout, stderr } = await runToEnd(['--port', 'nonsense', '--help']);
    expect([status, stderr]).toEqual([0, '']);
    for (const flag of ['config', 'host', 'port', 'role', 'demo', 'data', 'help'])
      expect(stdout).toContain(`\n  --${flag} `);
  });
});

describe('the demo', () => {
  /** A file in the place of its folder. The demo runs without a database then, which is quicker. */
  const withoutDatabase = () => {
    const file = freePath();
    writeFileSync(file, 'not a folder');
    return ['--data', file];
  };
  const start = (parameters: string[] = []) => startDemo([...withoutDatabase(), ...parameters]);

  it('prints its address and its keys, works with both, takes the next port when its own is taken, and logs refusals only', async () => {
    const first = await start();
    const second = await start();
    expect(second.address).not.toBe(first.address);
    expect(first.output()).toContain('test_public_demo');
    const statusFor = async (key: string, headers: Record<string, string> = {}) => {
      const url = `${second.address}/v1/verify?api_key=${key}&email=deliverable@example.com`;
      return (await fetch(url, { headers })).status;
    };
    expect(await statusFor('test_public_demo', { origin: second.address })).toBe(200);
    expect(await statusFor('test_private_demo')).toBe(200);
    expect(await statusFor('test_public_demo', { origin: 'http://192.168.1.5:3000' })).toBe(403);
    second.child.kill('SIGTERM');
    await second.exit;
    const lines = second.errors().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'request', status: 403, key: expect.stringMatching(/^config_/), reason: 'untrusted_origin' },
    ]);

    // It does not move from a port that was set.
    const { port } = new URL(first.address);
    const third = await runToEnd(['--demo', ...withoutDatabase(), '--port', port]);
    expect([third.status, third.stdout]).toEqual([1, '']);
    const message = new RegExp(`^Expected port ${port} on 127.0.0.1 to be free, .*--port.*\\n$`);
    expect(third.stderr).toMatch(message);
  });

  inLong(
    'goes on without a database where the folder cannot be used, says so in one line, and opens to the network on request',
    async () => {
      const { address, output, errors } = await start(['--port', '0', '--host', '0.0.0.0']);
      expect(output().match(/.*without a database.*/g)).toEqual([expect.stringContaining('DATABASE_URL')]);
      expect(errors()).toBe('');
      const statusOf = async (url: string, headers: Record<string, string> = {}) =>
        (await fetch(url, { headers })).status;
      expect(await statusOf(`${address}/v1/account?api_key=test_private_demo`)).toBe(503);
      expect(await statusOf(`${address}/`)).toBe(200);

      const { port } = new URL(address);
      const origins = ownAddresses('0.0.0.0').map((own) => `http://${own}:${port}`);
      const printed = [...output().matchAll(/^ {2}Phone {6}(http\S+)\/$/gm)].map(([, url]) => url);
      expect(printed).toEqual(origins);
      const path = '/v1/verify?api_key=test_public_demo&email=deliverable@example.com';
      for (const origin of origins) {
        // As a browser sends it without TLS: neither Origin nor Sec-Fetch-Site.
        expect(await statusOf(origin + path, { referer: `${origin}/` })).toBe(200);
        expect(await statusOf(origin + path, { origin: `${origin.replace(/:\d+$/, '')}:3000` })).toBe(200);
      }
      expect(await statusOf(address + path, { origin: 'http://198.51.100.7:3000' })).toBe(403);
    },
  );
});

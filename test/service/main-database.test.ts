/** The built service and the demo with a database, as processes: how they start, stop, and survive `kill -9`. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/service/database/database.ts';
import type { Db } from '../../src/service/database/schema.ts';
import { silentLog } from '../../src/service/log.ts';
import { makeAccount } from './support/account.ts';
import { createTestDatabase } from './support/database.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { freePath } from './support/room.ts';
import { databaseOnSameServer } from './support/server-commands.ts';
import {
  DEMO_LISTENS,
  launch,
  listening,
  MAIN,
  runToEnd,
  serve,
  writeConfig,
} from './support/service-process.ts';
import { storeKey } from './support/stored-service.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Rounds of `kill -9`. */
const ROUNDS = Number(process.env.EMBEDDED_ROUNDS ?? 2);

const database = await createTestDatabase();
afterAll(() => database.drop());

const isReady = async (address: string) => (await fetch(`${address}/readyz`)).status === 200;
const untilReady = (address: string) =>
  vi.waitUntil(() => isReady(address), { timeout: 40_000, interval: 50 });

/** Visits an embedded database next to the service that keeps it. */
async function visit<Result>(folder: string, use: (db: Db) => Promise<Result>): Promise<Result> {
  const visited = openDatabase({ folder }, { log: silentLog, visit: true });
  try {
    await visited.ready;
    return await use(visited.db);
  } finally {
    await visited.close();
  }
}

/** Lines that are for the operator to read, and those of the log. */
function linesOf(errors: string): { sentences: string[]; events: Record<string, unknown>[] } {
  const lines = errors.trim().split('\n').filter(Boolean);
  return {
    sentences: lines.filter((line) => !line.startsWith('{')),
    events: lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)),
  };
}

describe('a service with a folder for its database', () => {
  it('makes it next to the config, says so, and refuses a second process there', async () => {
    const folder = freePath();
    const config = {
      database: `./${folder.split('/').at(-1)}`,
      keys: [{ key: 'live_hush', kind: 'private' }],
    };
    const first = await serve(config);
    await untilReady(first.address);
    expect(existsSync(join(folder, 'pg', 'PG_VERSION'))).toBe(true);
    const ask = async (path: string) => (await fetch(first.address + path)).status;
    expect(await ask('/v1/verify?api_key=live_hush&email=jo@company.example')).toBe(503);
    expect(await ask('/v1/account?api_key=live_hush')).toBe(403);
    const { key } = await visit(folder, async (db) => storeKey(db, await makeAccount(db, 7)));
    await vi.waitUntil(async () => (await ask(`/v1/account?api_key=${key}`)) === 200, { timeout: 2000 });

    const second = await runToEnd(['--config', writeConfig(config), '--port', '0']);
    expect([second.status, second.stdout]).toEqual([1, '']);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
    expect(second.stderr).toMatch(/^Expected .*another process.*DATABASE_URL/s);

    first.child.kill('SIGTERM');
    expect(await first.exit).toBe(0);
    const { events, sentences } = linesOf(first.errors());
    expect(sentences).toEqual([]);
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'database', what: expect.stringMatching(/^embedded PostgreSQL \d+/) }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ level: 'warn', place: 'keys[0]', advice: expect.stringContaining('503') }),
    );
    expect(first.errors()).not.toContain('hush');
  });

  it.each(['a file in its place', 'a file on the way to it'])(
    'ends with one sentence over %s',
    async (what) => {
      const folder = freePath();
      const path = what === 'a file in its place' ? folder : join(folder, 'data');
      writeFileSync(folder, 'something else');
      const { status, stdout, stderr } = await runToEnd([
        '--config',
        writeConfig({ database: path }),
        '--port',
        '0',
      ]);
      expect([status, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
    },
  );

  it('keeps what it acknowledged through kill -9 of everything', {
    timeout: 40_000 + ROUNDS * 30_000,
  }, async () => {
    const folder = freePath();
    const acknowledged = new Set<string>();
    let key: string | undefined;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { address, child, exit } = await serve({ database: folder }, { detached: true });
      await untilReady(address);
      key ??= await visit(folder, async (db) => {
        const accountId = await makeAccount(db);
        await db.updateTable('accounts').set({ verify_per_second: 1_000_000 }).execute();
        return (await storeKey(db, accountId)).key;
      });
      let isOver = false;
      const write = async (writer: number) => {
        for (let request = 0; !isOver; request += 1) {
          const name = `${round} ${writer} ${request}`;
          const answer = await fetch(`${address}/v1/verify?api_key=${key}&email=risky@example.com`, {
            method: 'POST',
            headers: { 'idempotency-key': name },
          }).catch(() => undefined);
          if (answer?.status === 200) acknowledged.add(name);
          if (!answer) return;
        }
      };
      const before = acknowledged.size;
      const writers = [0, 1, 2, 3].map(write);
      await vi.waitUntil(() => acknowledged.size >= before + 100, { timeout: 20_000 });
      const server = Number(readFileSync(join(folder, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0]);
      process.kill(-child.pid!, 'SIGKILL');
      // In every other round the database is left to notice it by itself.
      if (round % 2 === 0) for (const pid of [server, ...childrenOf(server)]) killIfThere(pid);
      await exit;
      isOver = true;
      await Promise.all(writers);
    }
    const { address } = await serve({ database: folder });
    await untilReady(address);
    const rows = await visit(folder, (db) =>
      db.selectFrom('idempotency').select('key').where('status', '=', 200).execute(),
    );
    const kept = new Set(rows.map(({ key }) => key));
    expect([...acknowledged].filter((name) => !kept.has(name))).toEqual([]);
  });
});

function childrenOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, 'utf8') : '';
      return stat.split(') ')[1]?.split(' ')[1] === String(parent) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended with its parent.
  }
}

describe('a service with a database URL', () => {
  it('takes DATABASE_URL before the config, and reads keys from there', async () => {
    const folder = freePath();
    const { key } = await storeKey(database.db, await makeAccount(database.db, 3));
    const { address, errors, child, exit } = await serve(
      { database: folder },
      { environment: { DATABASE_URL: database.url } },
    );
    await untilReady(address);
    const answer = await fetch(`${address}/v1/account?api_key=${key}`);
    expect([answer.status, await answer.json()]).toMatchObject([200, { available_credits: 3 }]);
    expect(existsSync(folder)).toBe(false);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(linesOf(errors()).events).toContainEqual(
      expect.objectContaining({ event: 'database', what: expect.stringContaining(database.name) }),
    );
    expect(errors()).not.toContain('not-secret');
  });

  it.each([
    ['the config', { database: 'mysql://root:geheim@localhost/shop' }, {}],
    ['DATABASE_URL', {}, { DATABASE_URL: 'mysql://root:geheim@localhost/shop' }],
  ])('ends with exit code 2 over another scheme in %s', async (_, config, environment) => {
    const parameters = ['--config', writeConfig({ ...config, keys: [] }), '--port', '0'];
    const { status, stdout, stderr } = await runToEnd(parameters, { environment: { ...environment } });
    expect([status, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(stderr).toContain('postgres://');
    expect(stderr).not.toContain('geheim');
  });

  it('ends with exit code 1 and one sentence over a wrong password, which it does not show', async () => {
    const wrong = database.url.replace(/:[^:@/]+@/, ':geheim@');
    const { status, stdout, stderr } = await runToEnd(['--config', writeConfig({}), '--port', '0'], {
      environment: { DATABASE_URL: wrong },
    });
    expect([status, linesOf(stderr).sentences]).toEqual([
      1,
      [expect.stringMatching(/refuses the user or the password/)],
    ]);
    expect(stdout + stderr).not.toMatch(/geheim|not-secret/);
  });

  it('listens before the server is there, is ready after that, and can be stopped before', async () => {
    const server = await startPostgresServer();
    onTestFinished(() => server.remove());
    await server.kill();
    const environment = { DATABASE_URL: server.url() };
    const [waiting, stopped] = [await serve({}, { environment }), await serve({}, { environment })];
    for (const path of ['/readyz', '/v1/account'])
      expect((await fetch(waiting.address + path)).status).toBe(503);
    expect((await fetch(`${waiting.address}/healthz`)).status).toBe(200);
    stopped.child.kill('SIGTERM');
    expect(await stopped.exit).toBe(0);
    expect(linesOf(stopped.errors()).sentences).toEqual([]);
    await server.start();
    await untilReady(waiting.address);
    waiting.child.kill('SIGTERM');
    expect(await waiting.exit).toBe(0);
    expect(waiting.errors()).not.toContain('not-secret');
  });

  it('finishes the request that is open when it gets SIGTERM', async () => {
    let answerCaptcha = () => {};
    const provider = createServer((_, response) => {
      answerCaptcha = () => response.end('{"success":true}');
      provider.emit('asked');
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void provider.close());
    const { key } = await storeKey(database.db, await makeAccount(database.db), {
      kind: 'public',
      captcha_provider: 'turnstile',
      captcha_secret: 'hush',
      siteverify_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`,
    });
    const { address, child, exit, errors } = await serve({ database: database.url });
    await untilReady(address);
    const asked = new Promise((resolve) => provider.once('asked', resolve));
    const query = `api_key=${key}&email=risky@example.com&captcha_response=t`;
    const answer = fetch(`${address}/v1/verify?${query}`, {
      method: 'POST',
      headers: { origin: 'https://shop.example', 'idempotency-key': 'at the end' },
    });
    await asked;
    child.kill('SIGTERM');
    const refuses = () =>
      fetch(address).then(
        () => false,
        () => true,
      );
    await vi.waitUntil(refuses, { timeout: 5000 });
    answerCaptcha();
    expect((await answer).status).toBe(200);
    expect(await exit).toBe(0);
    // Its response was stored before it was sent, and the process has signed off.
    const stored = database.db.selectFrom('idempotency').select('status').where('key', '=', 'at the end');
    expect(await stored.execute()).toEqual([{ status: 200 }]);
    expect(await database.db.selectFrom('processes').select('id').execute()).toEqual([]);
    expect(errors()).not.toMatch(/hush|company/);
  });
});

describe('the demo', () => {
  const start = (data: string, environment: Record<string, string> = {}) =>
    listening(process.execPath, [MAIN, '--demo', '--data', data, '--port', '0'], {
      pattern: DEMO_LISTENS,
      environment,
    });
  const statusOf = async (url: string) => (await fetch(url)).status;
  const passwordIn = (output: string) => /password (\S+) /.exec(output)?.[1];

  it('has an account, with a new password and the same data at every start', async () => {
    const folder = freePath();
    const first = await start(folder);
    const account = await fetch(`${first.address}/v1/account?api_key=test_private_demo`);
    expect(await account.json()).toEqual({ owner_email: 'demo@example.com', available_credits: 10_000 });
    first.child.kill('SIGINT');
    expect(await first.exit).toBe(0);
    await visit(folder, (db) => makeAccount(db));
    const second = await start(folder);
    expect(await statusOf(`${second.address}/v1/account?api_key=test_private_demo`)).toBe(200);
    expect(passwordIn(first.output())).toMatch(/^\S{12}$/);
    expect(passwordIn(second.output())).not.toBe(passwordIn(first.output()));
    const accounts = await visit(folder, (db) => db.selectFrom('accounts').select('id').execute());
    expect(accounts).toHaveLength(2);
  });

  it('takes what a config says, and has a live key of its own at every start', async () => {
    const folder = freePath();
    const live = { helo: 'verify.example.org', mailFrom: 'probe@verify.example.org', dns: ['127.0.0.1:9'] };
    const own = { key: 'test_of_the_config', kind: 'private', trustedIps: ['127.0.0.1'] };
    const config = writeConfig({ live, database: folder, keys: [own] });
    const run = () =>
      listening(process.execPath, [MAIN, '--demo', '--config', config, '--port', '0'], {
        pattern: DEMO_LISTENS,
      });
    const keyIn = (output: string) => /Live key for this machine: (live_\S+)/.exec(output)?.[1];
    const first = await run();
    expect(existsSync(folder)).toBe(true);
    expect(await statusOf(`${first.address}/v1/account?api_key=${keyIn(first.output())}`)).toBe(200);
    expect(await statusOf(`${first.address}/v1/verify?api_key=${own.key}&email=risky@example.com`)).toBe(200);
    first.child.kill('SIGINT');
    expect(await first.exit).toBe(0);
    const second = await run();
    expect(keyIn(second.output())).toMatch(/^live_/);
    expect(await statusOf(`${second.address}/v1/account?api_key=${keyIn(first.output())}`)).toBe(403);
    expect(await statusOf(`${second.address}/v1/account?api_key=${keyIn(second.output())}`)).toBe(200);
  });

  it('goes on without a database where the folder cannot be used, and says so in one line', async () => {
    const file = freePath();
    writeFileSync(file, 'not a folder');
    const { address, output, errors } = await start(file);
    expect(
      output()
        .split('\n')
        .filter((line) => /without a database/.test(line)),
    ).toEqual([expect.stringContaining('DATABASE_URL')]);
    expect(errors()).toBe('');
    expect(await statusOf(`${address}/v1/account?api_key=test_private_demo`)).toBe(503);
    expect(await statusOf(`${address}/v1/verify?api_key=test_private_demo&email=risky@example.com`)).toBe(
      200,
    );
    expect(await statusOf(`${address}/`)).toBe(200);
  });

  it('uses DATABASE_URL in the place of a folder', async () => {
    const demo = await createTestDatabase();
    onTestFinished(() => demo.drop());
    const folder = freePath();
    const { address, output, child, exit } = await start(folder, { DATABASE_URL: demo.url });
    expect(await statusOf(`${address}/v1/account?api_key=test_private_demo`)).toBe(200);
    expect(output()).toContain(demo.name);
    expect(output()).not.toContain('not-secret');
    expect(existsSync(folder)).toBe(false);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('ends with exit code 0 when it is stopped before its database is there', async () => {
    const missing = databaseOnSameServer('postgres://ada:geheim@127.0.0.1:9/', 'shop');
    const { child, exit, output, errors } = launch(process.execPath, [MAIN, '--demo', '--port', '0'], {
      environment: { DATABASE_URL: missing },
    });
    await vi.waitUntil(() => errors().includes('database away'), { timeout: 20_000 });
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(output() + errors()).not.toContain('geheim');
  });
});

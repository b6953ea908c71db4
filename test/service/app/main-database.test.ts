/** The built service and the demo with a database, as processes: how they start and stop. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSecrets } from '../../../src/service/database/secrets.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { failureOf } from '../../message-of.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { freePath } from '../support/room.ts';
import { databaseOnSameServer } from '../support/server-commands.ts';
import {
  launch,
  MAIN,
  passwordIn,
  runToEnd,
  serve,
  startDemo,
  untilReady,
  writeConfig,
} from '../support/service-process.ts';
import { storeKey } from '../support/stored-service.ts';
import { visit } from '../support/visit.ts';

const database = await testDatabase();

/** Lines that are for the operator to read, and those of the log. */
function linesOf(errors: string): { sentences: string[]; events: Record<string, unknown>[] } {
  const lines = errors.trim().split('\n').filter(Boolean);
  return {
    sentences: lines.filter((line) => !line.startsWith('{')),
    events: lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)),
  };
}

it('makes the folder for its database next to the config, and says so', async () => {
  const folder = freePath();
  const config = { database: `./${folder.split('/').at(-1)}`, keys: [{ key: 'live_hush', kind: 'private' }] };
  const { address, child, errors, exit } = await serve(config);
  await untilReady(address);
  expect(existsSync(join(folder, 'pg', 'PG_VERSION'))).toBe(true);
  const ask = async (path: string) => (await fetch(address + path)).status;
  expect(await ask('/v1/verify?api_key=live_hush&email=jo@company.example')).toBe(503);
  expect(await ask('/v1/account?api_key=live_hush')).toBe(403);
  const { key } = await visit(folder, async (db) => storeKey(db, await makeAccount(db, 7)));
  await vi.waitUntil(async () => (await ask(`/v1/account?api_key=${key}`)) === 200, PATIENTLY);

  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  const { events, sentences } = linesOf(errors());
  expect(sentences).toEqual([]);
  const opened = { event: 'database', what: expect.stringMatching(/^embedded PostgreSQL \d+/) };
  expect(events).toContainEqual(expect.objectContaining(opened));
  const warned = { level: 'warn', place: 'keys[0]', advice: expect.stringContaining('503') };
  expect(events).toContainEqual(expect.objectContaining(warned));
  expect(errors()).not.toContain('hush');
});

describe('a service with a database URL', () => {
  it('does not write a line for each request while the disk of the database is full', async () => {
    const { address, child, errors, exit } = await serve({ database: database.url });
    await untilReady(address);
    const { key } = await storeKey(database.db, await makeAccount(database.db, 1), { mode: 'test' });
    await sql`
      create function fill() returns trigger language plpgsql as
        $$ begin raise exception using errcode = '53100'; end $$;
      create trigger fill before insert or update on rates execute function fill()
    `.execute(database.db);
    onTestFinished(async () => {
      await sql`drop function if exists fill cascade`.execute(database.db);
    });
    const url = `${address}/v1/account?api_key=${key}`;
    for (let count = 0; count < 20; count += 1) expect((await fetch(url)).status).toBe(503);
    child.kill('SIGTERM');
    await exit;
    const { events } = linesOf(errors());
    const told = events.filter(({ event }) => event === 'database short of resources');
    expect(told.length).toBeGreaterThan(0);
    // One, and a few more if twenty requests take minutes.
    expect(told.length).toBeLessThan(10);
  });

  /** It ends with exit code 1 and one sentence. @returns all that it prints */
  async function refusalOf(DATABASE_URL: string, sentence: RegExp): Promise<string> {
    const parameters = ['--config', writeConfig({}), '--port', '0'];
    const { status, stdout, stderr } = await runToEnd(parameters, { environment: { DATABASE_URL } });
    expect([status, linesOf(stderr).sentences]).toEqual([1, [expect.stringMatching(sentence)]]);
    return stdout + stderr;
  }

  it('ends with exit code 1 and one sentence over a wrong password, which it does not show', async () => {
    const wrong = database.url.replace(/:[^:@/]+@/, ':geheim@');
    const output = await refusalOf(wrong, /refuses the user or the password/);
    expect(output).not.toMatch(/geheim|not-secret/);
  });

  it('ends with exit code 1 and one sentence over sealed secrets without their key file', async () => {
    const sealed = await testDatabase(onTestFinished);
    const secret = createSecrets([Buffer.alloc(32, 1)]).seal('accounts.callback_secret', 'acc_1', 'whsec_x');
    await sql`
      insert into accounts (id, owner_email, email_key, password_hash, sealed_callback_secret)
      values ('acc_1', 'a', 'a', 'scrypt', ${secret.sealed})
    `.execute(sealed.db);
    const sentence = /^Expected the key [0-9a-f]{16} in secretsKeyFile, .*got no secretsKeyFile\./;
    await refusalOf(sealed.url, sentence);
  });

  it('listens before the server is there, and can be stopped before', async () => {
    const DATABASE_URL = 'postgres://nobody:geheim@127.0.0.1:1/none';
    const { address, child, errors, exit } = await serve({}, { environment: { DATABASE_URL } });
    const answers = ['/healthz', '/readyz', '/v1/account'].map((path) => fetch(address + path));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 503, 503]);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(linesOf(errors()).sentences).toEqual([]);
    expect(errors()).not.toContain('geheim');
  });

  it('takes DATABASE_URL before the config, reads keys from there, and finishes the request that is open at SIGTERM', async () => {
    let answerCaptcha = () => {};
    const provider = createServer((_, response) => {
      answerCaptcha = () => response.end('{"success":true}');
      provider.emit('asked');
    });
    const port = await listenOnLoopback(provider);
    const accountId = await makeAccount(database.db, 3);
    const { key } = await storeKey(database.db, accountId);
    const captcha = { captcha_secret: 'hush', siteverify_url: `http://127.0.0.1:${port}/` };
    const ofPage = { kind: 'public', captcha_provider: 'turnstile', ...captcha } as const;
    const guarded = await storeKey(database.db, accountId, ofPage);
    const folder = freePath();
    const environment = { DATABASE_URL: database.url };
    const { address, child, exit, errors } = await serve({ database: folder }, { environment });
    await untilReady(address);
    const account = await fetch(`${address}/v1/account?api_key=${key}`);
    expect([account.status, await account.json()]).toMatchObject([200, { available_credits: 3 }]);
    expect(existsSync(folder)).toBe(false);

    const asked = new Promise((resolve) => provider.once('asked', resolve));
    const query = `api_key=${guarded.key}&email=risky@example.com&captcha_response=t`;
    const sent = { method: 'POST', headers: { origin: 'https://shop.example' } };
    const answer = fetch(`${address}/v1/verify?${query}`, sent);
    await asked;
    child.kill('SIGTERM');
    await vi.waitUntil(() => failureOf(fetch(address)), PATIENTLY);
    answerCaptcha();
    expect((await answer).status).toBe(200);
    expect(await exit).toBe(0);
    // Its result was counted, and the process has signed off.
    const counted = sql`select count from daily_results where account_id = ${accountId}`;
    expect((await counted.execute(database.db)).rows).toEqual([{ count: 1 }]);
    expect(await database.db.selectFrom('processes').select('id').execute()).toEqual([]);
    const line = expect.objectContaining({ event: 'database', what: expect.stringContaining(database.name) });
    expect(linesOf(errors()).events).toContainEqual(line);
    expect(errors()).not.toMatch(/not-secret|hush|company/);
  });
});

describe('the demo', () => {
  const statusOf = async (url: string) => (await fetch(url)).status;
  const keyIn = (output: string) => /Live key for this machine: (live_\S+)/.exec(output)?.[1];

  it('takes what a config says, uses DATABASE_URL in the place of a folder, and has the same account with a new password and a new live key at every start', async () => {
    const demo = await testDatabase(onTestFinished);
    const [ofConfig, ofCommand] = [freePath(), freePath()];
    const live = { helo: 'verify.example.org', mailFrom: 'probe@verify.example.org', dns: ['127.0.0.1:9'] };
    const own = { key: 'test_of_the_config', kind: 'private', trustedIps: ['127.0.0.1'] };
    const config = writeConfig({ live, database: ofConfig, keys: [own] });
    const parameters = ['--port', '0', '--config', config, '--data', ofCommand];
    const run = () => startDemo(parameters, { DATABASE_URL: demo.url });
    const first = await run();
    expect(first.output()).toContain(demo.name);
    expect(first.output()).not.toContain('not-secret');
    expect([ofConfig, ofCommand].map(existsSync)).toEqual([false, false]);
    const account = await fetch(`${first.address}/v1/account?api_key=test_private_demo`);
    expect(await account.json()).toEqual({ owner_email: 'demo@example.com', available_credits: 10_000 });
    expect(await statusOf(`${first.address}/v1/account?api_key=${keyIn(first.output())}`)).toBe(200);
    expect(await statusOf(`${first.address}/v1/verify?api_key=${own.key}&email=risky@example.com`)).toBe(200);
    first.child.kill('SIGINT');
    expect(await first.exit).toBe(0);
    await makeAccount(demo.db);

    const second = await run();
    expect(await statusOf(`${second.address}/v1/account?api_key=test_private_demo`)).toBe(200);
    expect(passwordIn(first.output())).toMatch(/^\S{12}$/);
    expect(passwordIn(second.output())).toMatch(/^\S{12}$/);
    expect(passwordIn(second.output())).not.toBe(passwordIn(first.output()));
    expect(keyIn(second.output())).toMatch(/^live_/);
    expect(await statusOf(`${second.address}/v1/account?api_key=${keyIn(first.output())}`)).toBe(403);
    expect(await statusOf(`${second.address}/v1/account?api_key=${keyIn(second.output())}`)).toBe(200);
    expect(await demo.db.selectFrom('accounts').select('id').execute()).toHaveLength(2);
    second.child.kill('SIGTERM');
    expect(await second.exit).toBe(0);
  });

  it('ends with exit code 0 when it is stopped before its database is there', async () => {
    const missing = databaseOnSameServer('postgres://ada:geheim@127.0.0.1:9/', 'shop');
    const { child, exit, output, errors } = launch(process.execPath, [MAIN, '--demo', '--port', '0'], {
      environment: { DATABASE_URL: missing },
    });
    await vi.waitUntil(() => errors().includes('database away'), PATIENTLY);
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(output() + errors()).not.toContain('geheim');
  });
});

/**
 * The built service and the demo with a folder for the database, as processes: they share it with nobody, survive
 * `kill -9`, and start again.
 */
import { existsSync } from 'node:fs';
import { afterAll, expect, it, vi } from 'vitest';
import { childrenOf, emptyRoom, killAll, postmasterOf, ROUNDS } from '../database/embedded/running.ts';
import { makeAccount } from '../support/account.ts';
import { PATIENTLY } from '../support/patience.ts';
import { freePath } from '../support/room.ts';
import {
  passwordIn,
  runToEnd,
  serve,
  startDemo,
  untilReady,
  writeConfig,
} from '../support/service-process.ts';
import { storeKey } from '../support/stored-service.ts';
import { visit } from '../support/visit.ts';

afterAll(emptyRoom);

it('refuses a second process on its folder', async () => {
  const config = { database: freePath() };
  const { address } = await serve(config);
  await untilReady(address);
  const { status, stdout, stderr } = await runToEnd(['--config', writeConfig(config), '--port', '0']);
  expect([status, stdout]).toEqual([1, '']);
  const [waiting, refusal, ...more] = stderr.trim().split('\n');
  expect(JSON.parse(waiting!).event).toBe('waiting for the database');
  expect(refusal).toMatch(/^Expected .* in use by a service \(process \d+ .*DATABASE_URL/);
  expect(more).toEqual([]);
});

it('keeps what it acknowledged through kill -9 of everything', {
  timeout: 600_000 + ROUNDS * 30_000,
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
    await vi.waitUntil(() => acknowledged.size >= before + 100, PATIENTLY);
    const server = postmasterOf(folder);
    process.kill(-child.pid!, 'SIGKILL');
    // In every other round the database is left to notice it by itself.
    if (round % 2 === 0) killAll([server, ...childrenOf(server)]);
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

it('shows the same data at every start of the demo with a folder', async () => {
  const folder = freePath();
  const first = await startDemo(['--port', '0', '--config', writeConfig({ database: folder })]);
  expect(existsSync(folder)).toBe(true);
  first.child.kill('SIGINT');
  expect(await first.exit).toBe(0);
  await visit(folder, (db) => makeAccount(db));
  const elsewhere = writeConfig({ database: freePath() });
  const second = await startDemo(['--port', '0', '--config', elsewhere, '--data', folder]);
  const account = await fetch(`${second.address}/v1/account?api_key=test_private_demo`);
  expect(account.status).toBe(200);
  expect(passwordIn(second.output())).not.toBe(passwordIn(first.output()));
  const accounts = await visit(folder, (db) => db.selectFrom('accounts').select('id').execute());
  expect(accounts).toHaveLength(2);
});

/**
 * The latest release and this version beside each other on one database: the release serves requests, this version
 * migrates, both serve, and the release stops.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS, migrationsOf } from '../../../src/service/database/migrate.ts';
import { startWorld } from '../../engine/world/world.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { listening, MAIN, writeConfig } from '../support/service-process.ts';
import { MANY } from '../support/stored-service.ts';
import { restoreRelease } from './restore-release.ts';
import { HERE, PROGRAMS, unpackRelease } from './unpack-release.ts';

vi.setConfig({ expect: { poll: { ...PATIENTLY, interval: 100 } } });

/** How many requests each of the clients has answered in each part of the upgrade, at least. */
const EACH = 100;

it('has the program of the latest release', () => {
  expect(PROGRAMS).toHaveLength(1);
});

it.each(PROGRAMS)(
  'answers every request while the release with migration %s is replaced',
  async (release) => {
    const database = await testDatabase(onTestFinished, { empty: true });
    const { db } = database;
    await restoreRelease(db, release);
    const shown = JSON.parse(readFileSync(`${HERE}/${release}.json`, 'utf8'));
    const program = unpackRelease(release);

    const world = await startWorld({ 'accepted.test': { catchAll: true } });
    onTestFinished(() => world.close());
    const perHost = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
    const config = writeConfig({
      ...{
        keys: [],
        database: database.url,
        callbacks: { allowPrivateAddresses: true },
        limits: { ...MANY, uniquePerDay: 1_000_000 },
      },
      live: { ...world.live, dns: [...world.live.dns], perHost },
    });
    const start = async (main: string) => {
      const started = await listening(process.execPath, [main, '--config', config, '--port', '0']);
      return { ...started, isReady: async () => (await fetch(`${started.address}/readyz`)).status === 200 };
    };

    /** What a proxy would send requests to. */
    const targets: { address: string; answered: number }[] = [];
    const faults: string[] = [];
    let sent = 0;
    const client = async (request: (number: number) => readonly [string, RequestInit]) => {
      while (targets.length > 0) {
        sent += 1;
        const target = targets[sent % targets.length]!;
        const [path, init] = request(sent);
        try {
          const response = await fetch(target.address + path, { redirect: 'manual', ...init });
          const body = await response.text();
          if (response.status >= 400)
            faults.push(`${init.method} ${path}: ${response.status} ${body.slice(0, 100)}`);
        } catch (error) {
          faults.push(`${init.method} ${path}: ${error}`);
        }
        target.answered += 1;
      }
    };
    const untilAnswered = async () => {
      const before = targets.map(({ answered }) => answered);
      await expect
        .poll(() => targets.every(({ answered }, index) => answered >= before[index]! + EACH))
        .toBe(true);
    };

    const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });
    const live = bearer(shown.keys.live);
    const cookie = (shown.cookies as string[][]).map((pair) => pair.join('=')).join('; ');
    const post = (fields: Record<string, string>, headers: Record<string, string>) =>
      ({ method: 'POST', headers, body: new URLSearchParams(fields) }) as const;
    const get = (headers: Record<string, string>) => ({ method: 'GET', headers }) as const;
    const REQUESTS: ((number: number) => readonly [string, RequestInit])[] = [
      (n) => [`/v1/verify?email=a${n}@accepted.test`, get(live)],
      (n) => [
        '/v1/verify',
        post({ email: `b${n}@accepted.test` }, { ...live, 'Idempotency-Key': `key-${n}` }),
      ],
      (n) => [
        `/v1/verify?email=c${n}@accepted.test&api_key=${shown.keys.public}`,
        get({ Origin: 'https://shop.example' }),
      ],
      (n) => ['/v1/batch', post({ emails: `d${n}@accepted.test,e${n}@accepted.test` }, live)],
      () => [`/v1/batch?id=${shown.batches.small}`, get(bearer(shown.keys.test))],
      () => ['/v1/account', get(bearer(shown.tokens.access_token))],
      () => ['/dashboard/', get({ Cookie: cookie })],
      () => ['/dashboard/batches', get({ Cookie: cookie })],
    ];

    const older = await start(join(program, 'dist/service/main.js'));
    await expect.poll(older.isReady).toBe(true);
    targets.push({ address: older.address, answered: 0 });
    const clients = REQUESTS.map(client);
    await untilAnswered();

    // A backup reads all tables.
    const backup = await database.connect(1).startTransaction().execute();
    await sql`select from accounts, batches, batch_rows, ledger limit 1`.execute(backup);
    const newer = await start(MAIN);
    const hasWaited = () => newer.errors().includes('"event":"migration waits for a lock"');
    await expect.poll(async () => hasWaited() || (await newer.isReady())).toBe(true);
    await untilAnswered();
    await backup.rollback().execute();
    await expect.poll(newer.isReady).toBe(true);
    expect(await migrationsOf(db)).toEqual(Object.keys(MIGRATIONS));
    targets.push({ address: newer.address, answered: 0 });
    await untilAnswered();

    // The proxy sends nothing more to the release, and then it is stopped.
    targets.shift();
    await untilAnswered();
    older.child.kill('SIGTERM');
    await older.exit;
    await untilAnswered();
    targets.length = 0;
    await Promise.all(clients);
    expect(faults).toEqual([]);

    const open = sql`select from batches where completed_at is null`;
    await expect.poll(async () => (await open.execute(db)).rows).toEqual([]);
    await expect
      .poll(async () => (await sql`select from verifications where state = 'running'`.execute(db)).rows)
      .toEqual([]);
    const { rows: accounts } = await sql<{ credits: number; ledger: number }>`
    select available_credits as credits, (select sum(amount) from ledger where account_id = accounts.id)::bigint as ledger
    from accounts
  `.execute(db);
    for (const { credits, ledger } of accounts) expect(credits).toBe(ledger);
  },
);

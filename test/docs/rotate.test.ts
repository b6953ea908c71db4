/** "Rotate a secret" of docs/operations.md, followed to the letter with a real server and real processes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../src/cli/run.ts';
import { listenOnLoopback } from '../loopback.ts';
import { BILLING_SECRET } from '../service/support/billing-server.ts';
import { PATIENTLY } from '../service/support/patience.ts';
import { type PostgresServer, startPostgresServer } from '../service/support/postgres-server.ts';
import { serve, untilReady } from '../service/support/service-process.ts';
import { shellCommands } from './terminal.ts';

const OPERATIONS = 'docs/operations.md';
const [rotate, inContainer] = shellCommands(OPERATIONS, 'The password of the database') as [string, string];
const HAS_PSQL = spawnSync('psql', ['--version']).status === 0;
const OLD = 'first';
const KEY = 'live_of_the_rotated_billing';

const server: PostgresServer = await startPostgresServer();
afterAll(() => server.remove());
const socket = new URL(server.url().replace('@/', '@localhost/')).searchParams.get('host')!;
const urlWith = (password: string, database = 'verify') =>
  `postgres://verify:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(socket)}`;

/** A database of the user `verify`, whose password is `OLD`. */
async function makeDatabase(): Promise<void> {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  for (const statement of [
    'drop database if exists verify with (force)',
    'drop role if exists verify',
    `create role verify login password '${OLD}'`,
    'create database verify owner verify',
  ])
    await client.query(statement);
  await client.end();
}

/** Types the passwords that `psql` asks for. Without a terminal, it reads them from its standard input. */
async function runTyping(
  command: string,
  typed: readonly string[],
  environment: Record<string, string> = {},
) {
  const child = spawn('/bin/sh', ['-c', command], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
    detached: true,
  });
  child.stdin.end(typed.map((line) => `${line}\n`).join(''));
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, errors]).toEqual([0, expect.not.stringMatching(/error|fatal/i)]);
}

function isSignedWith(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    return Boolean(new Webhook(secret).verify(body, headers));
  } catch {
    return false;
  }
}

const admin = (environment: Record<string, string>, ...words: string[]) =>
  runCommandLine(words, { environment, readFile: (path) => readFileSync(path, 'utf8') });
const statusWith = (url: string) => admin({ DATABASE_URL: url }, 'status');
const ask = async (address: string, path: string) => (await fetch(address + path)).status;

it.skipIf(!HAS_PSQL)('replaces the password of the database without an outage', async () => {
  await makeDatabase();
  const before = await serve({ database: urlWith(OLD) });
  await untilReady(before.address);
  const fresh = 'p@ss/w:rd %1';
  await runTyping(rotate.replace('db.example', socket), [OLD, fresh, fresh]);

  expect(await ask(before.address, '/readyz')).toBe(200);
  // On its open connections. While a busy machine uses all of them, a new one is refused.
  const askDatabase = () => ask(before.address, '/v1/account?api_key=live_unknown');
  await vi.waitUntil(async () => (await askDatabase()) === 403, { interval: 50 });
  const refused = await statusWith(urlWith(OLD));
  expect(refused).toMatchObject({
    exitCode: 1,
    error: expect.stringContaining('refuses the user or the password'),
  });

  const after = await serve({ database: urlWith(fresh) });
  await untilReady(after.address);
  expect((await statusWith(urlWith(fresh))).exitCode).toBe(0);
});

it.skipIf(!HAS_PSQL)('replaces the password of the database of Docker Compose', async () => {
  await makeDatabase();
  const { services } = parse(readFileSync('deploy/compose.yml', 'utf8'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>;
  };
  const { POSTGRES_USER: user, POSTGRES_DB: database } = services.database!.environment;
  expect([user, database]).toEqual(['verify', 'verify']);
  const [, command] = /^docker compose --file deploy\/compose\.yml exec database (psql .*)$/.exec(
    inContainer,
  )!;
  // In the container, the local socket is the default and asks for no password.
  await runTyping(command!, ['Letters9', 'Letters9'], { PGHOST: socket, PGPASSWORD: OLD });
  const url = services
    .web!.environment.DATABASE_URL!.replace(/\$\{POSTGRES_PASSWORD:[^}]*\}/, 'Letters9')
    .replace('@database:5432/verify', `@/verify?host=${encodeURIComponent(socket)}`);
  expect((await admin({ DATABASE_URL: url }, 'migrate')).exitCode).toBe(0);
  expect((await statusWith(url)).exitCode).toBe(0);
  expect((await statusWith(urlWith(OLD))).exitCode).toBe(1);
});

it('replaces the secret of billing, and no payment is lost', async () => {
  await makeDatabase();
  const url = urlWith(OLD);
  const fresh = `whsec_${Buffer.from('the next secret of the operator').toString('base64')}`;
  /** The secrets that billing accepts. */
  let accepted = [BILLING_SECRET];
  let isDown = true;
  const charged: string[] = [];
  const billing = createServer(async (request, response) => {
    const [body, headers] = [await text(request), request.headers as Record<string, string>];
    const isSigned = accepted.some((secret) => isSignedWith(secret, body, headers));
    response.statusCode = isSigned ? (isDown ? 500 : 200) : 401;
    if (response.statusCode === 200) charged.push(headers['webhook-id']!);
    response.end(JSON.stringify({ credits: 10 }));
  });
  const billingUrl = `http://127.0.0.1:${await listenOnLoopback(billing)}/`;
  const start = (secret: string) =>
    serve({
      database: url,
      billing: { url: billingUrl, secret },
      live: { helo: 'verify.example', mailFrom: 'probe@verify.example', dns: ['127.0.0.1:1'] },
    });
  const sendBatch = async (address: string) =>
    (
      await fetch(`${address}/v1/batch?api_key=${KEY}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          emails: Array.from({ length: 10 }, (_, number) => `u${number}@shop.example`),
        }),
      })
    ).status;

  const first = await start(BILLING_SECRET);
  await untilReady(first.address);
  const owner = ['--email', 'ada@example.com'];
  for (const words of [
    ['account', 'create', ...owner],
    ['key', 'create', ...owner, '--kind', 'private', '--mode', 'live', '--key', KEY],
  ])
    expect(await admin({ DATABASE_URL: url }, ...words)).toMatchObject({ exitCode: 0 });
  // The payment stays open.
  expect(await sendBatch(first.address)).toBe(402);

  accepted = [BILLING_SECRET, fresh];
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  isDown = false;
  const second = await start(fresh);
  await untilReady(second.address);
  accepted = [fresh];
  await vi.waitUntil(() => charged.length > 0, PATIENTLY);
  await vi.waitUntil(async () => (await sendBatch(second.address)) === 200, { ...PATIENTLY, interval: 500 });
  expect(charged).toHaveLength(1);
});

/** The world of the batch benchmark: mail servers and services in separate processes, accounts, and their requests. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { PerHost } from '../../src/engine/options.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/service/database/embedded/start-embedded.ts';
import { startDnsServer } from '../../test/engine/world/dns-server.ts';
import { zoneOf } from '../engine/index.ts';
import type { MailCounts } from '../engine/mail-servers.ts';
import { type Server, startServer } from '../service/server.ts';

export interface WorldOptions {
  readonly mailServers: number;
  /** How many of them accept connections and say nothing. They are the last ones. @default none */
  readonly silent?: number;
  /** How long each reply takes. */
  readonly replyMs: number;
  readonly perHost: PerHost;
}

export interface BatchWorld {
  readonly database: EmbeddedServer;
  /** The URL of the database. */
  readonly url: string;
  /** Starts a process of the service on the database. It ends with the world. */
  startService(how?: HowToStart): Promise<Server>;
  /** An account with credits for everything. */
  createAccount(service: Server): Promise<Account>;
  /** Manages the database from outside. */
  readonly admin: {
    run(...words: string[]): Promise<unknown>;
    /** @returns a private live key of the new account */
    createAccount(
      email: string,
      credits: number,
      more?: readonly string[],
    ): Promise<{ readonly key: string }>;
  };
  /** What the mail servers have counted since the last call. */
  takeMailCounts(): Promise<MailCounts>;
  /** The URL of a process that has nothing to do. */
  readonly idleOrigin: string;
  /** Resolves with the response of an idle process, which shows how busy the machine is. */
  askIdle(): Promise<unknown>;
  close(): Promise<void>;
}

export interface HowToStart {
  /** @default both web and worker */
  readonly role?: 'web' | 'worker';
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Account {
  /** Resolves with the id when the batch is accepted. */
  create(emails: readonly string[]): Promise<string>;
  read(id: string): Promise<BatchStatus>;
  /** Resolves when the batch is completed. */
  completed(id: string): Promise<BatchStatus>;
  verify(email: string): Promise<void>;
}

export interface BatchStatus {
  readonly message: string;
  readonly processed?: number;
  readonly total_counts?: Readonly<Record<string, number>>;
}

const LOOK_MS = 100;
const MUCH = 1_000_000;
const run = promisify(execFile);

export async function startBatchWorld(options: WorldOptions): Promise<BatchWorld> {
  const { mailServers, silent = 0, replyMs, perHost } = options;
  const folder = mkdtempSync(join(tmpdir(), 'bench-batch-'));
  const dns = await startDnsServer(zoneOf(mailServers));
  const database = await startEmbedded(join(folder, 'data'));
  const { host, user, password, database: name } = database.connection;
  const url = `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`;
  const mail = await startServer('test-results/bench/engine/mail-servers.mjs', [
    String(mailServers),
    String(replyMs),
    String(silent),
  ]);
  const idle = await startServer('test-results/bench/engine/mail-servers.mjs', ['0']);
  const config = join(folder, 'config.json');
  const live = {
    ...{ helo: 'bench.test', mailFrom: 'probe@bench.test', dns: [dns.address], perHost },
    ...{ smtpPort: Number(/^mail (\d+)$/m.exec(mail.said)![1]), allowPrivateAddresses: true },
  };
  writeFileSync(
    config,
    JSON.stringify({
      database: url,
      limits: { verifyPerSecond: MUCH, batchPerSecond: MUCH },
      live,
    }),
  );
  const services: Server[] = [];
  let accounts = 0;
  const admin = async (...words: string[]) =>
    JSON.parse((await run(process.execPath, ['dist/admin/main.js', '--config', config, ...words])).stdout);
  const createAccount = async (email: string, credits: number, more: readonly string[] = []) => {
    await admin('account', 'create', '--email', email, '--credits', String(credits), ...more);
    return admin('key', 'create', '--email', email, '--kind', 'private', '--mode', 'live');
  };
  return {
    database,
    url,
    admin: { run: admin, createAccount },
    takeMailCounts: async () => (await fetch(mail.origin)).json() as Promise<MailCounts>,
    idleOrigin: idle.origin,
    async startService({ role, environment } = {}) {
      const parameters = ['--config', config, '--port', '0', ...(role ? ['--role', role] : [])];
      const service = await startServer('dist/service/main.js', parameters, environment);
      services.push(service);
      while ((await fetch(`${service.origin}/readyz`)).status !== 200) await pause(LOOK_MS);
      return service;
    },
    async createAccount({ origin }) {
      accounts += 1;
      const { key } = await createAccount(`owner${accounts}@example.com`, MUCH);
      return accountOf(origin, key);
    },
    askIdle: async () => (await fetch(idle.origin)).text(),
    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all([database.stop(), mail.stop(), idle.stop(), dns.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}

export function accountOf(origin: string, key: string): Account {
  const ask = async <Body>(path: string, init: RequestInit = {}): Promise<Body> => {
    const response = await fetch(`${origin}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    const body = await response.text();
    if (response.status !== 200)
      throw new Error(`Expected a 200 for ${path}, got ${response.status}: ${body}`);
    return JSON.parse(body) as Body;
  };
  const read = (id: string) => ask<BatchStatus>(`/v1/batch?id=${id}`);
  return {
    read,
    async create(emails) {
      const { id } = await ask<{ id: string }>('/v1/batch', {
        method: 'POST',
        body: JSON.stringify({ emails }),
      });
      return id;
    },
    async completed(id) {
      for (;;) {
        const status = await read(id);
        if (isCompleted(status)) return status;
        await pause(LOOK_MS);
      }
    },
    async verify(email) {
      const { state } = await ask<{ state: string }>(`/v1/verify?email=${email}&timeout=10`);
      if (state !== 'deliverable') throw new Error(`Expected ${email} to be deliverable, got ${state}.`);
    },
  };
}

export const isCompleted = ({ total_counts: counts }: BatchStatus): boolean => counts !== undefined;

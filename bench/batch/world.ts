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
import { type Server, startServer } from '../service/server.ts';

export interface WorldOptions {
  readonly mailServers: number;
  /** How long each reply takes. */
  readonly replyMs: number;
  readonly perHost: PerHost;
}

export interface BatchWorld {
  readonly database: EmbeddedServer;
  /** Starts a process of the service on the database. It ends with the world. */
  startService(): Promise<Server>;
  /** An account with credits for everything. */
  createAccount(service: Server): Promise<Account>;
  /** Resolves with the response of an idle process, which shows how busy the machine is. */
  askIdle(): Promise<unknown>;
  close(): Promise<void>;
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

export async function startBatchWorld({ mailServers, replyMs, perHost }: WorldOptions): Promise<BatchWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-batch-'));
  const dns = await startDnsServer(zoneOf(mailServers));
  const database = await startEmbedded(join(folder, 'data'));
  const { host, user, password, database: name } = database.connection;
  const mail = await startServer('test-results/bench/engine/mail-servers.mjs', [
    String(mailServers),
    String(replyMs),
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
      database: `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`,
      limits: { verifyPerSecond: MUCH, batchPerSecond: MUCH },
      live,
    }),
  );
  const services: Server[] = [];
  let accounts = 0;
  const admin = async (...words: string[]) =>
    JSON.parse((await run(process.execPath, ['dist/admin/main.js', '--config', config, ...words])).stdout);
  return {
    database,
    async startService() {
      const service = await startServer('dist/service/main.js', ['--config', config, '--port', '0']);
      services.push(service);
      while ((await fetch(`${service.origin}/readyz`)).status !== 200) await pause(LOOK_MS);
      return service;
    },
    async createAccount({ origin }) {
      accounts += 1;
      const email = `owner${accounts}@example.com`;
      await admin('account', 'create', '--email', email, '--credits', String(MUCH));
      const { key } = await admin(
        ...['key', 'create', '--email', email, '--kind', 'private', '--mode', 'live'],
      );
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

function accountOf(origin: string, key: string): Account {
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

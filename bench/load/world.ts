/** The world of the load: a PostgreSQL, mail servers, a client, services in separate processes, accounts with keys. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { silentLog } from '../../src/service/core/log.ts';
import { type Limits, UNLIMITED } from '../../src/service/database/connection.ts';
import { type Database, openDatabase } from '../../src/service/database/database.ts';
import { startEmbedded } from '../../src/service/database/embedded/start-embedded.ts';
import type { Db } from '../../src/service/database/schema.ts';
import { createKey } from '../../src/service/keys/key-store.ts';
import { createAccount } from '../../src/service/people/members/create-account.ts';
import { startDnsServer } from '../../test/engine/world/dns-server.ts';
import { type Server, startServer } from '../service/server.ts';
import type { Answer } from './answers.ts';
import type { Load } from './client.ts';
import { zone } from './organisations.ts';

/** So high that the load never reaches an account's limit. */
const MUCH = 1_000_000;
const ACCOUNTS = 10;
const READY_MS = 100;
/** So high that only the services and the database limit the load. */
export const PER_HOST = { connections: 100, perMinute: MUCH, recipientsPerConnection: 20 };

export interface LoadAccount {
  readonly id: string;
  readonly key: string;
}

export interface World {
  readonly db: Db;
  readonly url: string;
  readonly accounts: readonly LoadAccount[];
  /** The process of the database. It changes with a restart. */
  databasePid(): number;
  /** Starts a process of the service, ready for requests. It ends with the world. */
  startService(how?: HowToStart): Promise<Server>;
  load(services: readonly Server[], how: Omit<Load, 'origins' | 'keys' | 'first'>): Promise<Answer[]>;
  /** Changes the behaviour of the mail servers, such as `hang=true`. */
  mail(behaviour: string): Promise<void>;
  close(): Promise<void>;
}

export interface HowToStart {
  /** @default a free one */
  readonly port?: number;
  /** @default both web and worker */
  readonly role?: 'web' | 'worker';
  readonly environment?: Readonly<Record<string, string>>;
  /** Gets each line of its log. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface WorldOptions {
  /** The folder of the database. @default one of its own, which goes with the world */
  readonly folder?: string;
  /** Further settings of the config. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly live?: Readonly<Record<string, unknown>>;
}

/** The bench itself waits as long as it takes on a busy machine. */
const PATIENT: Limits = { ...UNLIMITED, connectionTimeoutMillis: 60_000 };

/** The number of the next address. Loads never share addresses. */
let nextAddress = 0;

export async function startWorld({ folder, config = {}, live = {} }: WorldOptions = {}): Promise<World> {
  const own = mkdtempSync(join(tmpdir(), 'bench-load-'));
  const data = join(folder ?? own, 'data');
  const embedded = await startEmbedded(data);
  const { host, user, password, database: name } = embedded.connection;
  const url = `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`;
  const database = openDatabase({ url }, { log: silentLog, limits: PATIENT });
  await database.ready;
  const accounts = await makeAccounts(database);
  const dns = await startDnsServer(zone);
  const mail = await startServer('test-results/bench/load/mail-servers.mjs', []);
  const client = await startServer('test-results/bench/load/client.mjs', []);
  const file = join(own, 'config.json');
  const section = {
    ...{ helo: 'bench.test', mailFrom: 'probe@bench.test', dns: [dns.address], perHost: PER_HOST },
    ...{ smtpPort: Number(/^mail (\d+)$/m.exec(mail.said)![1]), allowPrivateAddresses: true, ...live },
  };
  const limits = { verifyPerSecond: MUCH, batchPerSecond: MUCH };
  writeFileSync(file, JSON.stringify({ database: url, limits, live: section, ...config }));
  const services: Server[] = [];
  return {
    url,
    db: database.db,
    accounts,
    databasePid: () => Number(readFileSync(join(data, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async startService({ port = 0, role, environment, onLine } = {}) {
      const parameters = ['--config', file, '--port', String(port), ...(role ? ['--role', role] : [])];
      const service = await startServer('dist/service/main.js', parameters, environment, onLine);
      services.push(service);
      while ((await fetch(`${service.origin}/readyz`)).status !== 200) await pause(READY_MS);
      return service;
    },
    async load(targets, how) {
      const load: Load = {
        origins: targets.map(({ origin }) => origin),
        keys: accounts.map(({ key }) => key),
        first: nextAddress,
        ...how,
      };
      const response = await fetch(client.origin, { method: 'POST', body: JSON.stringify(load) });
      const answers = (await response.json()) as Answer[];
      nextAddress += answers.length;
      return answers;
    },
    mail: async (behaviour) => void (await fetch(`${mail.origin}/?${behaviour}`, { method: 'POST' })),
    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all([mail.stop(), client.stop(), dns.close(), database.close()]);
      await embedded.stop();
      rmSync(own, { recursive: true });
    },
  };
}

async function makeAccounts({ db }: Database): Promise<LoadAccount[]> {
  const accounts: LoadAccount[] = [];
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const account = await createAccount(db, { email, passwordHash: 'none', credits: MUCH });
    if (typeof account === 'string') throw new Error('the same account twice');
    const { key } = await createKey(db, {
      ...{ account_id: account.id, kind: 'private', mode: 'live', name: null },
      ...{ trusted_domains: [], trusted_ips: [] },
    });
    accounts.push({ id: account.id, key });
  }
  return accounts;
}

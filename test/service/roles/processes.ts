/** Processes with roles on one database, and what they need: real ones, and their parts in the process of the test. */
import { vi } from 'vitest';
import { settleLive } from '../../../src/service/config/sections/live-section.ts';
import type { Role } from '../../../src/service/config/sections/role-section.ts';
import type { MailScript } from '../../engine/world/mail-script.ts';
import { startWorld } from '../../engine/world/world.ts';
import { makeAccount } from '../support/account.ts';
import type { TestDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { type RunningServiceOptions, runService } from '../support/running-service.ts';
import { listening, MAIN, writeConfig } from '../support/service-process.ts';
import { passSoon, storeKey } from '../support/stored-service.ts';

export interface RoleProcess {
  readonly address: string;
  readonly output: () => string;
  readonly errors: () => string;
  statusOf(path: string): Promise<number>;
  /** The answer to `/readyz`. */
  readiness(): Promise<{ status: number; message?: string }>;
  untilReady(): Promise<void>;
  /** Sends SIGTERM, or stops the parts. @returns the exit code */
  stop(): Promise<number | null>;
  /** Ends a process of its own at once. */
  kill(): void;
  /** What is logged from now on is not looked for. */
  events(): Record<string, unknown>[];
}

/** The config of a process on this database whose mail servers are on loopback. */
export async function prepareRoles(
  database: TestDatabase,
  scripts: Readonly<Record<string, MailScript>> = {},
) {
  const world = await startWorld(scripts);
  const perHost = { connections: 16, perMinute: 1_000_000, recipientsPerConnection: 100 };
  const live = {
    ...world.live,
    dns: [...world.live.dns],
    perHost,
    greylistRetries: [3_600],
    catchAllByDefault: false,
  };
  const config = {
    ...{ keys: [], database: database.url, callbacks: { allowPrivateAddresses: true }, live },
    limits: { verifyPerSecond: 1_000_000, batchPerSecond: 1_000_000 },
  };
  /** Starts the built service as a process of its own. */
  const start = async (role: Role, more: object = {}): Promise<RoleProcess> => {
    const path = writeConfig({ ...config, ...more });
    const parameters = [MAIN, '--config', path, '--port', '0', '--role', role];
    const { address, child, exit, output, errors } = await listening(process.execPath, parameters);
    const stop = () => {
      child.kill('SIGTERM');
      return exit;
    };
    return follow({ address, stop, kill: () => void child.kill('SIGKILL'), output, errors });
  };
  /** Starts the same parts in this process, which is quicker. Each is another process for the database. */
  const run = async (role: Role, options: RunningServiceOptions = {}): Promise<RoleProcess> => {
    const settings = {
      ...{ live: settleLive(live, '/'), callbacks: { allowPrivateAddresses: true }, deadlineAfter: passSoon },
    };
    const service = runService(database.url, { role, ...settings, ...options });
    const errors = () =>
      service.logged
        .map((line) => {
          const [level, event, details] = JSON.parse(line) as [string, string, object];
          return `${JSON.stringify({ level, event, ...details })}\n`;
        })
        .join('');
    const stop = () => service.stop().then(() => 0);
    const kill = () => {
      throw new Error('Expected a process of its own.');
    };
    return follow({ address: await service.listen(), stop, kill, output: () => '', errors });
  };
  /** @returns the headers of a private live key whose account has so many credits */
  const makeKey = async (credits: number, mode: 'live' | 'test' = 'live') => {
    const accountId = await makeAccount(database.db, credits);
    const { key } = await storeKey(database.db, accountId, { kind: 'private', mode });
    return { accountId, headers: { authorization: `Bearer ${key}` } };
  };
  return { world, config, start, run, makeKey };
}

function follow(running: Pick<RoleProcess, 'address' | 'stop' | 'kill' | 'output' | 'errors'>): RoleProcess {
  const { address, errors } = running;
  const readiness = async () => {
    const answer = await fetch(`${address}/readyz`);
    return { ...((await answer.json()) as { message?: string }), status: answer.status };
  };
  return {
    ...running,
    readiness,
    statusOf: async (path) => (await fetch(address + path)).status,
    untilReady: () =>
      vi.waitFor(
        async () => {
          const found = await readiness();
          if (found.status !== 200) throw new Error(JSON.stringify(found));
        },
        { ...PATIENTLY, interval: 50 },
      ),
    events: () =>
      errors()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
  };
}

/** Creates a batch, and returns its id. */
export async function postBatch(
  { address }: Pick<RoleProcess, 'address'>,
  headers: Record<string, string>,
  emails: readonly string[],
  more: object = {},
): Promise<string> {
  const answer = await fetch(`${address}/v1/batch`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ emails, ...more }),
  });
  const body = (await answer.json()) as { id: string };
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(body)}`);
  return body.id;
}

export async function readBatch(
  { address }: Pick<RoleProcess, 'address'>,
  headers: Record<string, string>,
  id: string,
) {
  const answer = await fetch(`${address}/v1/batch?id=${id}`, { headers });
  return (await answer.json()) as {
    message: string;
    processed?: number;
    total_counts?: Record<string, number>;
  };
}

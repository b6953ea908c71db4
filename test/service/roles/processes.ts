/** Real processes with roles on one database, and what they need. */
import { vi } from 'vitest';
import type { MailScript } from '../../engine/world/mail-script.ts';
import { startWorld } from '../../engine/world/world.ts';
import { makeAccount } from '../support/account.ts';
import type { TestDatabase } from '../support/database.ts';
import { type ListeningProcess, listening, MAIN, writeConfig } from '../support/service-process.ts';
import { storeKey } from '../support/stored-service.ts';

export interface RoleProcess extends ListeningProcess {
  statusOf(path: string): Promise<number>;
  /** The answer to `/readyz`. */
  readiness(): Promise<{ status: number; message?: string }>;
  untilReady(): Promise<void>;
  /** Sends SIGTERM. @returns the exit code and how long the end took */
  stop(): Promise<{ code: number | null; tookMs: number }>;
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
  const config = {
    ...{ keys: [], database: database.url, callbacks: { allowPrivateAddresses: true } },
    live: { ...world.live, perHost, greylistRetries: [3_600] },
    limits: { verifyPerSecond: 1_000_000, batchPerSecond: 1_000_000 },
  };
  const start = async (role: string, more: object = {}): Promise<RoleProcess> => {
    const path = writeConfig({ ...config, ...more });
    const parameters = [MAIN, '--config', path, '--port', '0', '--role', role];
    return follow(await listening(process.execPath, parameters));
  };
  /** @returns the headers of a private live key whose account has so many credits */
  const makeKey = async (credits: number, mode: 'live' | 'test' = 'live') => {
    const accountId = await makeAccount(database.db, credits);
    const { key } = await storeKey(database.db, accountId, { kind: 'private', mode });
    return { accountId, headers: { authorization: `Bearer ${key}` } };
  };
  return { world, config, start, makeKey };
}

export function follow(running: ListeningProcess): RoleProcess {
  const { address, child, exit, errors } = running;
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
        { timeout: 20_000, interval: 20 },
      ),
    async stop() {
      const began = performance.now();
      child.kill('SIGTERM');
      const code = await exit;
      return { code, tookMs: performance.now() - began };
    },
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

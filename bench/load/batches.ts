/** Batches of the load: over HTTP, from their creation to their completion. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../service/server.ts';
import { domainOf, ORGANISATIONS } from './organisations.ts';
import type { LoadAccount, World } from './world.ts';

const LOOK_MS = 100;
let made = 0;

/** @returns the id, or `undefined` if the batch was not acknowledged */
export async function createBatch(
  { origin }: Server,
  { key }: LoadAccount,
  size: number,
): Promise<string | undefined> {
  const emails = Array.from({ length: size }, (_, index) => {
    made += 1;
    return `row${made}@${domainOf(index % ORGANISATIONS.length)}`;
  });
  const response = await fetch(`${origin}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ emails }),
  });
  const { id } = (await response.json()) as { id?: string };
  return response.status === 200 ? id : undefined;
}

/** The ids of batches that are not completed. */
export async function openBatches({ db }: World): Promise<string[]> {
  const rows = await db.selectFrom('batches').select('id').where('completed_at', 'is', null).execute();
  return rows.map(({ id }) => id);
}

/** @returns the milliseconds that they took together */
export async function runBatches(
  world: World,
  service: Server,
  count: number,
  size: number,
): Promise<number> {
  const began = performance.now();
  const owners = Array.from(
    { length: count },
    (_, number) => world.accounts[number % world.accounts.length]!,
  );
  const ids = await Promise.all(owners.map((owner) => createBatch(service, owner, size)));
  if (ids.includes(undefined)) throw new Error('Expected every batch to be taken.');
  while ((await openBatches(world)).length > 0) await pause(LOOK_MS);
  return performance.now() - began;
}

/** The customers of the chaos run: accounts that verify, send batches, and are deleted. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deleteBatch, pauseBatch, resumeBatch } from '../../src/service/batch/manage/manage-batches.ts';
import type { Db } from '../../src/service/database/schema.ts';
import { deleteAccount } from '../../src/service/deletion/delete-account.ts';
import { createKey } from '../../src/service/keys/key-store.ts';
import { createAccount } from '../../src/service/people/members/create-account.ts';
import { domainOf, ORGANISATIONS } from '../load/organisations.ts';
import type { Random } from './receivers.ts';

export interface Customer {
  readonly id: string;
  readonly live: string;
  readonly test: string;
  isDeleted: boolean;
  /** Live verifications that were answered with a result that costs a credit. */
  certain: number;
  /** Those whose answer was lost, or that went on after it. */
  open: number;
  /** The ids of batches that were acknowledged and not deleted. */
  readonly batches: Set<string>;
}

export interface Tools {
  readonly db: Db;
  readonly random: Random;
  /** The origins of the processes that should run. */
  readonly origins: () => readonly string[];
  /** Where callbacks go. */
  readonly callbackUrl: string;
}

/** Few, so that each account needs billing. */
const CREDITS = 5;
const GIVE_UP_MS = 40_000;
const RETRY_MS = 300;

export async function makeCustomer(db: Db): Promise<Customer> {
  const account = await createAccount(db, {
    email: `${randomBytes(8).toString('hex')}@example.com`,
    passwordHash: 'none',
    credits: CREDITS,
  });
  if (typeof account === 'string') throw new Error('Expected a new address, got one that is taken.');
  const keyOf = async (mode: 'live' | 'test') =>
    (
      await createKey(db, {
        ...{ account_id: account.id, kind: 'private', mode, name: null },
        ...{ trusted_domains: [], trusted_ips: [] },
      })
    ).key;
  return {
    ...{ id: account.id, live: await keyOf('live'), test: await keyOf('test') },
    ...{ isDeleted: false, certain: 0, open: 0, batches: new Set<string>() },
  };
}

export interface Load {
  /** How many requests got an answer, by their status. 0: none. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Resolves when all requests have ended. */
  readonly over: Promise<void>;
  /** Starts no further request. */
  stop(): void;
}

/** Lets so many clients act for random customers, until it is stopped. Deleted customers are replaced. */
export function startLoad(tools: Tools, customers: Customer[], clients: number): Load {
  const { db, random, origins, callbackUrl } = tools;
  const statuses = new Map<number, number>();
  let isOver = false;
  let addresses = 0;

  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const address = () => {
    addresses += 1;
    return `user${addresses}@${domainOf(Math.floor(random() * ORGANISATIONS.length))}`;
  };

  /** @returns status 0 if there was no answer */
  async function ask(
    path: string,
    key: string,
    init: RequestInit & { headers?: Record<string, string> } = {},
  ) {
    const origin = pick(origins());
    let answer: { status: number; body: Record<string, unknown> } = { status: 0, body: {} };
    try {
      if (origin === undefined) throw new Error('no process runs');
      const response = await fetch(origin + path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...init.headers },
        signal: AbortSignal.timeout(GIVE_UP_MS),
      });
      answer = { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch {
      // No process answers.
    }
    if ([0, 429, 503].includes(answer.status)) await pause(RETRY_MS);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }

  /** With an Idempotency-Key, it repeats the request until there is an answer. */
  async function verify(customer: Customer): Promise<void> {
    const hasKey = random() < 0.3;
    const init = hasKey ? { method: 'POST', headers: { 'idempotency-key': randomUUID() } } : {};
    const path = `/v1/verify?email=${address()}`;
    const statusOf: number[] = [];
    for (let tries = 0; tries < (hasKey ? 5 : 1); tries += 1) {
      const { status, body } = await ask(path, customer.live, init);
      statusOf.push(status);
      if (status === 200) {
        if (body.state !== 'unknown') customer.certain += 1;
        return;
      }
      if (![0, 409, 503].includes(status)) break;
    }
    // A request that was refused costs nothing.
    if (statusOf.some((status) => [0, 249].includes(status) || status >= 500)) customer.open += 1;
  }

  async function sendBatch(customer: Customer, key: string): Promise<void> {
    const count = 1 + Math.floor(random() * 40);
    const emails = Array.from({ length: count }, address);
    if (random() < 0.3) emails.push(emails[0]!.toUpperCase());
    const { status, body } = await ask('/v1/batch', key, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ emails, url: callbackUrl }),
    });
    if (status === 200) customer.batches.add(String(body.id));
  }

  async function manage(customer: Customer): Promise<void> {
    const id = pick([...customer.batches]);
    if (id === undefined) return;
    const how = random();
    if (how < 0.4) await pauseBatch(db, { id });
    else if (how < 0.7) await resumeBatch(db, { id });
    else {
      customer.batches.delete(id);
      await deleteBatch(db, { id }, { refundUnknown: true });
    }
  }

  async function replace(customer: Customer): Promise<void> {
    const place = customers.indexOf(customer);
    if (place < 0) return;
    customer.isDeleted = true;
    customers[place] = await makeCustomer(db);
    await deleteAccount(db, customer.id);
  }

  async function act(): Promise<void> {
    const customer = pick(customers)!;
    const what = random();
    if (what < 0.7) await verify(customer);
    else if (what < 0.8) await ask('/v1/verify?email=deliverable@example.com', customer.test);
    else if (what < 0.9) await sendBatch(customer, customer.live);
    else if (what < 0.94) await sendBatch(customer, customer.test);
    else if (what < 0.96) await ask(`/v1/batch?id=${pick([...customer.batches]) ?? 'none'}`, customer.live);
    else if (what < 0.99) await manage(customer);
    else await replace(customer);
  }

  const client = async () => {
    while (!isOver) await act();
  };
  return {
    statuses,
    over: Promise.all(Array.from({ length: clients }, client)).then(() => {}),
    stop() {
      isOver = true;
    },
  };
}

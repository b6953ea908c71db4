/** An account with very many changes of its credits, which is deleted. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/service/database/schema.ts';
import { deleteAccount } from '../../src/service/deletion/delete-account.ts';
import { readLeft } from '../../src/service/deletion/deletion-store.ts';
import { createKey } from '../../src/service/keys/key-store.ts';
import { findTokenOwner } from '../../src/service/oauth/tokens/token-store.ts';
import { createAccount } from '../../src/service/people/members/create-account.ts';
import { findPersonByEmail } from '../../src/service/people/persons/person-store.ts';
import { findSession, insertSession } from '../../src/service/people/sessions/session-store.ts';
import { type Figure, round } from '../report.ts';
import type { Server } from '../service/server.ts';
import { HEAD_BESIDE, HOW_BESIDE, measureBeside } from './beside.ts';
import { fillQuickly } from './fill-quickly.ts';
import type { Scene } from './scene.ts';

const ROWS = 1_000_000;
const LOOK_MS = 10;
const TARGET_MS = 1_000;

interface Victim {
  readonly id: string;
  readonly email: string;
  readonly key: string;
  readonly session: Buffer;
  readonly token: Buffer;
}

/** What must be over, by its name. Each says whether it is. */
const ENDS: Readonly<Record<string, (scene: Scene, victim: Victim) => Promise<boolean>>> = {
  'the key is refused': ({ service }, { key }) => isRefused(service, key),
  'the token is refused': async ({ db }, { token }) => (await findTokenOwner(db, token)) === undefined,
  'the session is refused': async ({ db }, { session }) => (await findSession(db, session)) === undefined,
  'the address can have an account': async ({ db }, { email }) =>
    typeof (await createAccount(db, { email, passwordHash: 'none' })) !== 'string',
};

export async function deletedAccount(scene: Scene): Promise<Figure> {
  const { db, isQuick } = scene;
  const count = isQuick ? ROWS / 50 : ROWS;
  const longest: Record<string, number> = {};
  let victim: Victim;
  const { cells, target, runs } = await measureBeside(scene, {
    async fill() {
      victim = await makeVictim(db, count);
    },
    async begin() {
      const began = performance.now();
      const deleting = deleteAccount(db, victim.id);
      await Promise.all(
        Object.entries(ENDS).map(async ([what, isOver]) => {
          while (!(await isOver(scene, victim))) await pause(LOOK_MS);
          longest[what] = Math.max(longest[what] ?? 0, performance.now() - began);
        }),
      );
      await deleting;
    },
    isLeft: async () => (await readLeft(db, victim.id)) !== undefined,
  });
  return {
    title: 'An account that is deleted',
    how: `An account with ${count.toLocaleString('en')} rows of the ledger is deleted ${HOW_BESIDE} Runs: ${runs}. Of the other times, the longest counts.`,
    head: ['', ...HEAD_BESIDE],
    rows: [
      [`${count.toLocaleString('en')} rows`, ...cells],
      ...Object.entries(longest).map(([what, ms]) => [what, `${round(ms)} ms`]),
    ],
    targets: [
      ...Object.entries(longest).map(([what, ms]) => ({
        text: `${what} within ${TARGET_MS / 1_000} s`,
        found: `${round(ms)} ms`,
        isMet: ms <= TARGET_MS,
      })),
      target,
    ],
  };
}

async function makeVictim(db: Db, count: number): Promise<Victim> {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const account = await createAccount(db, { email, passwordHash: 'none' });
  if (typeof account === 'string') throw new Error('Expected a new account, got one that exists.');
  const { id } = account;
  const { key } = await createKey(db, {
    ...{ account_id: id, kind: 'private', mode: 'live', name: null, trusted_domains: [], trusted_ips: [] },
  });
  const [session, token] = [randomBytes(32), randomBytes(32)];
  await insertSession(db, {
    ...{
      id: session,
      personId: (await findPersonByEmail(db, email))!.id,
      seconds: 3_600,
      replaces: randomBytes(32),
      idleSeconds: 3_600,
      network: '192.0.2.1',
      browserId: randomBytes(32),
    },
    userAgent: undefined,
  });
  const clientId = `app_${randomBytes(12).toString('hex')}`;
  await sql`
    insert into apps (client_id, account_id, name, allows_device)
    select ${clientId}, min(id), 'App', true from accounts where id <> ${id}
  `.execute(db);
  await sql`
    insert into token_families (handle, client_id, account_id, refresh_token, access_token, access_expires_at)
    values (${randomBytes(32)}, ${clientId}, ${id}, ${randomBytes(32)}, ${token}, now() + interval '1 day')
  `.execute(db);
  await fillQuickly(
    db,
    sql`
      insert into ledger (account_id, at, amount, why, "of", balance)
      select ${id}, now() - (${count}::integer - number) * interval '1 second', 1, 'verification', gen_random_uuid()::text, number
      from generate_series(1, ${count}::integer) as number
    `,
    sql`
      insert into ledger_days (account_id, day, why, amount, count, first_id, last_id)
      select account_id, (at at time zone 'UTC')::date, why, sum(amount), count(*), min(id), max(id)
      from ledger where account_id = ${id} group by 1, 2, 3
    `,
    sql`update accounts set available_credits = ${count} where id = ${id}`,
  );
  return { id, email, key, session, token };
}

async function isRefused({ origin }: Server, key: string): Promise<boolean> {
  const { status } = await fetch(`${origin}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  return status !== 200;
}

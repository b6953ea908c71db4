/** How long payments take when billing or a process fails: for whoever waits, and until billing is asked again. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createKey } from '../../src/service/keys/key-store.ts';
import { createAccount } from '../../src/service/people/members/create-account.ts';
import { databaseOnSameServer, runOnServer } from '../../test/service/support/server-commands.ts';
import { type Figure, round } from '../report.ts';
import type { Server } from '../service/server.ts';
import { startWorld, type World } from './world.ts';

const CREDITS = 10;
const LATE_S = 16;
const AWAY_S = 3;
const LOOK_MS = 50;
/** The targets, in seconds. */
const LONGEST_WAIT_S = 15.5;
const ASKED_AGAIN_S = 10;
/** After this time, the bench is wrong. */
const NEVER_S = 120;

/** Seconds of the same clock for all processes of the bench. */
const now = () => performance.now() / 1000;

interface Billing {
  readonly url: string;
  /** When each request came, and under which `webhook-id`. */
  readonly requests: { readonly id: string; readonly at: number }[];
  /** The payments that were charged. A repeated `webhook-id` is charged once. */
  readonly charged: Set<string>;
  /** What happens to the first request of a payment. All later ones are answered at once. */
  first: (answer: () => void) => void | Promise<void>;
  close(): void;
}

async function startBilling(): Promise<Billing> {
  const server = createServer(async (request, response: ServerResponse) => {
    await text(request);
    const id = String(request.headers['webhook-id']);
    billing.requests.push({ id, at: now() });
    const isFirst = !billing.charged.has(id);
    billing.charged.add(id);
    const answer = () => void response.end(JSON.stringify({ credits: CREDITS }));
    await (isFirst ? billing.first(answer) : answer());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const billing: Billing = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ...{ requests: [], charged: new Set<string>(), first: (answer) => answer() },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return billing;
}

interface Scene {
  readonly world: World;
  readonly billing: Billing;
  /** Two processes of the service. */
  readonly services: Server[];
  /** A request of the account for one credit. @returns its status, and how many seconds it took */
  verify(service: Server): Promise<{ status: number; seconds: number }>;
}

interface Case {
  readonly name: string;
  /** @returns what was measured, each with its bound in seconds */
  run(scene: Scene): Promise<readonly (readonly [what: string, seconds: number, bound: number])[]>;
}

const CASES: readonly Case[] = [
  {
    name: `billing answers after ${LATE_S} s`,
    async run({ world, billing, services, verify }) {
      billing.first = async (answer) => {
        await pause(LATE_S * 1000);
        answer();
      };
      const asked = verify(services[0]!);
      await until(() => billing.requests.length === 1);
      const waits = await Promise.all([asked, verify(services[1]!)]);
      // By that answer, which the process still takes, or by a second request.
      await until(async () => (await readBooked(world)).length > 0);
      return [
        ['402 for whoever asked', waits[0].seconds, LONGEST_WAIT_S],
        ['402 for whoever waits in the other process', waits[1].seconds, LONGEST_WAIT_S],
        ['booked after the late answer', now() - billing.requests[0]!.at - LATE_S, ASKED_AGAIN_S],
      ];
    },
  },
  {
    name: 'kill -9 of the process that asks',
    async run({ billing, services, verify }) {
      billing.first = () => {};
      const cut = verify(services[0]!);
      await until(() => billing.requests.length === 1);
      const killed = now();
      await services[0]!.kill();
      await cut;
      await until(() => billing.requests.length === 2);
      return [['asked again after the process died', billing.requests[1]!.at - killed, ASKED_AGAIN_S]];
    },
  },
  {
    name: `the database refuses connections for ${AWAY_S} s`,
    async run({ world, billing, services, verify }) {
      const { pathname, admin } = adminOf(world);
      let back = 0;
      billing.first = async (answer) => {
        await runOnServer(admin, `alter database ${pathname} with allow_connections false`);
        await runOnServer(
          admin,
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${pathname}'`,
        );
        answer();
        await pause(AWAY_S * 1000);
        await runOnServer(admin, `alter database ${pathname} with allow_connections true`);
        back = now();
      };
      await verify(services[0]!);
      // The process keeps the answer, so nobody has to ask again.
      await until(async () => back > 0 && (await readBooked(world)).length > 0);
      return [['booked after the database was back', now() - back, ASKED_AGAIN_S]];
    },
  },
];

function adminOf({ url }: World) {
  const { pathname } = new URL(url.replace('@/', '@localhost/'));
  return { pathname: pathname.slice(1), admin: databaseOnSameServer(url, 'template1') };
}

/** @throws if it takes so long that it will never be so */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = now() + NEVER_S;
  while (!(await isSo())) {
    if (now() > end) throw new Error(`Expected what a payment waits for within ${NEVER_S} s, got none.`);
    await pause(LOOK_MS);
  }
}

/** The credits that were booked. */
async function readBooked({ db }: World): Promise<readonly number[]> {
  const rows = await db.selectFrom('ledger').select('amount').where('why', '=', 'billing').execute();
  return rows.map(({ amount }) => amount);
}

export async function measurePayments(): Promise<Figure> {
  const rows: string[][] = [];
  const targets: Figure['targets'][number][] = [];
  for (const one of CASES) {
    const { measured, once: isOnce, found } = await runCase(one);
    for (const [what, seconds, bound] of measured) {
      rows.push([one.name, what, `${round(seconds)} s`, `${bound} s`]);
      targets.push({
        text: `${one.name}: ${what}, at most ${bound} s`,
        ...{ found: `${round(seconds)} s`, isMet: seconds <= bound },
      });
    }
    targets.push({ text: `${one.name}: charged once, booked once`, found, isMet: isOnce });
  }
  return {
    title: 'Payments',
    how: 'Two processes use one PostgreSQL. An account without credits verifies, and the billing service charges once for each `webhook-id`. Its first answer, the process or the database fails. Every later request is answered at once.',
    head: ['fault', 'measured', 'found', 'bound'],
    rows,
    targets,
  };
}

async function runCase({ run }: Case) {
  const billing = await startBilling();
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const world = await startWorld({ config: { billing: { url: billing.url, secret } } });
  try {
    const { db } = world;
    const account = await createAccount(db, { email: 'poor@example.com', passwordHash: 'none' });
    if (typeof account === 'string') throw new Error('the same account twice');
    const { key } = await createKey(db, {
      ...{ account_id: account.id, kind: 'private', mode: 'live', name: null },
      ...{ trusted_domains: [], trusted_ips: [] },
    });
    const services = [await world.startService(), await world.startService()];
    const verify = async ({ origin }: Server) => {
      const began = now();
      const answer = await fetch(`${origin}/v1/verify?email=jo@example.com`, {
        headers: { authorization: `Bearer ${key}` },
      }).catch(() => undefined);
      return { status: answer?.status ?? 0, seconds: now() - began };
    };
    const measured = await run({ world, billing, services, verify });
    await until(async () => (await readBooked(world)).length > 0);
    const amounts = await readBooked(world);
    const isOnce = billing.charged.size === 1 && amounts.length === 1 && amounts[0] === CREDITS;
    return { measured, once: isOnce, found: `charged ${billing.charged.size}, booked ${amounts.join()}` };
  } finally {
    await world.close();
    billing.close();
  }
}

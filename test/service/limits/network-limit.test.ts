/** Limits of what a network does: in memory, and in the database for all processes. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { countNetworks, forgetNetworkCounts } from '../../../src/service/limits/limit-store.ts';
import {
  createNetworkLimit,
  type NetworkLimit,
  UNKNOWN_KEYS as RULE,
} from '../../../src/service/limits/network-limit.ts';
import { createStoredNetworkLimit } from '../../../src/service/limits/stored-network-limit.ts';
import { countRoundTrips } from '../support/counted-database.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';

const database = await testDatabase();
const { db } = database;
emptyBeforeEach(db, 'network_counts');

const IP = '198.51.100.7';
const OTHER = '198.51.100.8';

interface Form {
  /** A process that counts. */
  process(): NetworkLimit;
  pass(seconds: number): Promise<void> | void;
}

const FORMS: Record<string, () => Form> = {
  'in memory': () => {
    let at = 0;
    const limit = createNetworkLimit(RULE, () => at);
    const pass = (seconds: number) => {
      at += seconds * 1_000;
    };
    return { process: () => limit, pass };
  },
  // Each process is new, so it knows nothing but what the database says.
  'in the database': () => ({
    process: () => createStoredNetworkLimit(db, RULE),
    async pass(seconds) {
      await sql`update network_counts set ends_at = ends_at - make_interval(secs => ${seconds})`.execute(db);
    },
  }),
};

const count = async (limit: NetworkLimit, times: number, ip = IP): Promise<number[]> =>
  Promise.all(Array.from({ length: times }, async () => limit.count(ip)));

describe.each(Object.entries(FORMS))('a limit of networks %s', (_name, start) => {
  it('refuses a network for a minute from the 101st within a minute on', async () => {
    const { process, pass } = start();
    const refused = async () => (await process().refusedFor(IP)) > 0;
    expect(new Set(await count(process(), 100))).toEqual(new Set([0]));
    expect(await refused()).toBe(false);
    await pass(30);
    const seconds = await process().count(IP);
    // The database has a clock of its own, which goes on.
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
    await pass(30);
    expect(await refused()).toBe(true);
    // Further ones do not make it longer.
    for (const rest of await count(process(), 50)) expect(rest).toBeLessThanOrEqual(30);
    expect(await process().refusedFor(OTHER)).toBe(0);
    await pass(30);
    expect(await refused()).toBe(false);
    expect(new Set(await count(process(), 100))).toEqual(new Set([0]));
  });

  it('begins again with each minute', async () => {
    const { process, pass } = start();
    for (let minute = 0; minute < 3; minute += 1) {
      expect(new Set(await count(process(), 100))).toEqual(new Set([0]));
      await pass(60);
    }
  });

  it('counts each network by itself, and one /48 as one network: its /64s are as many as anybody wants', async () => {
    const { process } = start();
    await count(process(), 60, '2001:db8:0:1::1');
    await count(process(), 60, '2001:db8:0:ffff::2');
    expect(await process().refusedFor('2001:db8:0:2::3')).toBeGreaterThan(0);
    expect([await process().refusedFor('2001:db8:1:1::1'), await process().refusedFor(IP)]).toEqual([0, 0]);
  });
});

it('forgets who came first once a process without a database has seen more than 10,000 networks', async () => {
  const limit = createNetworkLimit(RULE);
  await count(limit, 101);
  for (let number = 1; number < 10_000; number += 1) limit.count(`network ${number}`);
  expect(limit.refusedFor(IP)).toBeGreaterThan(0);
  limit.count('one more');
  expect(limit.refusedFor(IP)).toBe(0);
});

it('lets exactly as many through as it allows, however many processes count at once', async () => {
  const processes = Array.from({ length: 4 }, () => createStoredNetworkLimit(database.connect(), RULE));
  const ips = [IP, OTHER, '2001:db8::1'];
  // In another order in each process, so that they could wait for each other in a circle.
  const counts = Array.from({ length: 200 }, (_, index) =>
    ips.map(async (__, at) => {
      const ip = ips[(at + index) % ips.length]!;
      return { ip, seconds: await processes[index % 4]!.count(ip) };
    }),
  );
  const counted = await Promise.all(counts.flat());
  for (const ip of ips) expect(counted.filter((one) => one.ip === ip && one.seconds === 0)).toHaveLength(100);
});

it('counts apart what has another name', async () => {
  await count(createStoredNetworkLimit(db, { ...RULE, most: 1 }), 2);
  expect(await createStoredNetworkLimit(db, { ...RULE, name: 'device codes', most: 1 }).count(IP)).toBe(0);
});

it('begins a new count if the clock was set back', async () => {
  await count(createStoredNetworkLimit(db, RULE), 101);
  await sql`update network_counts set ends_at = ends_at + interval '1 hour'`.execute(db);
  // Who only asks does not begin one.
  expect(await createStoredNetworkLimit(db, RULE).refusedFor(IP)).toBe(0);
  expect(await createStoredNetworkLimit(db, RULE).count(IP)).toBe(0);
});

it('asks the database for a flood in a few statements, and not at all once it knows that the network is refused', async () => {
  const counted = countRoundTrips(database.url);
  try {
    const limit = createStoredNetworkLimit(counted.db, RULE);
    const ips = Array.from({ length: 2_000 }, (_, index) => (index % 2 ? IP : `10.0.0.${index % 250}`));
    await Promise.all(ips.map((ip) => limit.count(ip)));
    expect(counted.take().length).toBeLessThan(20);
    await count(limit, 1_000);
    await limit.refusedFor(IP);
    expect(counted.take()).toEqual([]);
  } finally {
    await counted.close();
  }
});

it('stores nothing for a question without a count, and deletes counts that are over', async () => {
  expect(await countNetworks(db, RULE, [{ network: IP, isCounted: false }])).toEqual([0]);
  const rows = () => db.selectFrom('network_counts').select('network').execute();
  expect(await rows()).toEqual([]);
  await count(createStoredNetworkLimit(db, RULE), 1);
  await count(createStoredNetworkLimit(db, RULE), 1, OTHER);
  await sql`update network_counts set ends_at = now() where network = ${OTHER}`.execute(db);
  await forgetNetworkCounts(db);
  expect(await rows()).toEqual([{ network: IP }]);
});

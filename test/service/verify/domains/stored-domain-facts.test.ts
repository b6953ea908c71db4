import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Claim, DomainFacts } from '../../../../src/engine/domains/domain-facts.ts';
import { silentLog } from '../../../../src/service/core/log.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { DatabaseAwayError } from '../../../../src/service/database/unavailable.ts';
import {
  forgetFact,
  forgetFacts,
  readFacts,
} from '../../../../src/service/verify/domains/domain-facts-store.ts';
import { createStoredDomainFacts } from '../../../../src/service/verify/domains/stored-domain-facts.ts';
import { describeDomainFacts, type FactsWorld } from '../../../engine/domains/domain-facts-suite.ts';
import { inLong } from '../../../in-long.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { prepareChildren } from '../../support/children.ts';
import { countRoundTrips } from '../../support/counted-database.ts';
import { testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { onQueries } from '../../support/plugins.ts';
import { addProcess } from '../../support/process.ts';

const { db, connect, url: databaseUrl } = await testDatabase();
const pools = [connect(), connect(), connect(), connect()];
const children = await prepareChildren('test/service/verify/domains/child.ts');

const DOMAIN = { name: 'company.example', organisation: 'host.example' };
const ANSWER = { acceptsAll: true, server: 'mx.host.example', code: 250 } as const;
const never = new AbortController().signal;
setMaxListeners(0, never);
const rowsOf = async () => (await sql`select from domain_facts`.execute(db)).rows.length;

async function factsOf(pool: Db, now?: () => Date): Promise<DomainFacts> {
  const processId = randomUUID();
  await addProcess(pool, processId);
  return createStoredDomainFacts({ db: pool, processId, log: silentLog, ...(now && { now }) });
}

async function createWorld(connections: readonly Db[]): Promise<FactsWorld> {
  await sql`truncate domain_facts`.execute(db);
  let now = Date.now();
  return {
    processes: await Promise.all(connections.map((pool) => factsOf(pool, () => new Date(now)))),
    advance(seconds) {
      now += seconds * 1000;
    },
    close: async () => {},
  };
}

describeDomainFacts('facts of domains in the database, by one process', () => createWorld([db]));
describeDomainFacts('facts of domains in the database, by four processes', () => createWorld(pools));

describe('in the database', () => {
  beforeEach(() => sql`truncate domain_facts`.execute(db));
  const learn = async (facts: DomainFacts, name: string, answer = ANSWER) =>
    ((await facts.claim({ ...DOMAIN, name }, never)) as Claim).end(answer);

  inLong('lets another process ask when the one that asked was killed', async () => {
    const child = children.start({ DATABASE_URL: databaseUrl });
    expect(await child.next()).toEqual({ kind: 'claimed' });
    const facts = await factsOf(db);
    expect(await facts.claim(DOMAIN, never)).toEqual({ kind: 'asked' });
    const waiting = facts.settled(DOMAIN, never);
    await child.kill();
    expect(await waiting).toEqual({ kind: 'unknown' });
    expect(await facts.claim(DOMAIN, never)).toHaveProperty('kind', 'claimed');
  });

  it('goes by the clock of the database', async () => {
    const facts = await factsOf(db);
    await learn(facts, 'company.example');
    const { rows } = await sql`
      select learnt_at between clock_timestamp() - interval '1 minute' and clock_timestamp() as "isNow",
        until - learnt_at between interval '7 days' and interval '7 days 1 second' as "lastsAWeek"
      from domain_facts
    `.execute(db);
    expect(rows).toEqual([{ isNow: true, lastsAWeek: true }]);
  });

  it('takes no claim for longer than a minute after the clock was set back', async () => {
    let now = Date.now();
    const facts = await factsOf(db, () => new Date(now));
    await facts.claim(DOMAIN, never);
    now -= 3_600_000;
    expect(await facts.look(DOMAIN, never)).toEqual({ kind: 'unknown' });
    expect(await facts.claim(DOMAIN, never)).toHaveProperty('kind', 'claimed');
  });

  it('leaves the claim to a process that was slower to begin and quicker to store it', async () => {
    const processId = randomUUID();
    await addProcess(db, processId);
    const storing = await db.startTransaction().execute();
    const store = () =>
      sql`
        insert into domain_facts (domain, organisation, process_id, claim_id, until)
        values (${DOMAIN.name}, ${DOMAIN.organisation}, ${processId}, ${processId}, clock_timestamp() + interval '1 minute')
        on conflict (domain) do update set until = excluded.until
      `.execute(storing);
    await store();
    const claiming = (await factsOf(pools[0]!)).claim(DOMAIN, never);
    await untilBlocked(db);
    await store();
    await storing.commit().execute();
    expect(await claiming).toEqual({ kind: 'asked' });
  });

  it('reads all that arrive together in three round trips', async () => {
    const counted = countRoundTrips(databaseUrl);
    const facts = await factsOf(counted.db);
    counted.take();
    const domains = Array.from({ length: 100 }, (_, index) => ({ ...DOMAIN, name: `d${index}.example` }));
    await Promise.all(domains.map((domain) => facts.look(domain, never)));
    expect(counted.take()).toHaveLength(3);
    await counted.close();
  });

  it('costs a domain one row, however often it is asked about', async () => {
    const facts = await factsOf(db);
    await learn(facts, 'company.example');
    for (let count = 0; count < 20; count += 1) await facts.claim(DOMAIN, never);
    expect(await rowsOf()).toBe(1);
  });

  it('lets nobody ask, and those who wait go on waiting, while the database is away', async () => {
    const log = vi.fn();
    const fail = onQueries(() => {
      throw new DatabaseAwayError(undefined);
    });
    const facts = createStoredDomainFacts({ db: db.withPlugin(fail), processId: randomUUID(), log });
    expect(await facts.look(DOMAIN, never)).toEqual({ kind: 'asked' });
    expect(await facts.claim(DOMAIN, never)).toEqual({ kind: 'asked' });
    expect(log).toHaveBeenCalledWith('warn', 'facts of domains unavailable', expect.anything());
  });

  it('gives back a claim that came after its time', async () => {
    const locking = await db.startTransaction().execute();
    const facts = await factsOf(pools[0]!);
    await learn(facts, 'company.example', { ...ANSWER, acceptsAll: true });
    await sql`update domain_facts set organisation = 'former.example'`.execute(locking);
    const over = new AbortController();
    const claiming = facts.claim(DOMAIN, over.signal);
    over.abort();
    expect(await claiming).toEqual({ kind: 'asked' });
    await locking.commit().execute();
    await vi.waitFor(async () => expect(await rowsOf()).toBe(0), PATIENTLY);
  });

  it('forgets a domain that the operator names', async () => {
    await learn(await factsOf(db), 'company.example');
    expect(await forgetFact(db, 'other.example')).toBe(false);
    expect(await forgetFact(db, 'company.example')).toBe(true);
    expect(await readFacts(db, ['company.example'])).toEqual([]);
  });

  it('forgets what counts no more, and what ends first if there is too much', async () => {
    await sql`
      insert into domain_facts (domain, organisation, learnt_at, accepts_all, server, until)
      select 'd' || number, 'host.example', now(), true, 'mx.host.example', now() + make_interval(hours => number)
      from generate_series(-5, 20) as number where number <> 0
    `.execute(db);
    await forgetFacts(db, 100);
    expect(await rowsOf()).toBe(20);
    await sql`analyze domain_facts`.execute(db);
    await forgetFacts(db, 15);
    const left = await db.selectFrom('domain_facts').select('domain').orderBy('until').execute();
    expect(left.map(({ domain }) => domain)).toEqual(
      Array.from({ length: 15 }, (_, index) => `d${index + 6}`),
    );
    // The estimate of before the deletion deletes no more.
    await forgetFacts(db, 15);
    expect(await rowsOf()).toBe(15);
  });
});

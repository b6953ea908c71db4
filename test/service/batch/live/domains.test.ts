/** Batches find out which domains accept every address: each domain once, in all processes and for all lists. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LiveSettings, settleLive } from '../../../../src/service/config/sections/live-section.ts';
import { createStoredDomainFacts } from '../../../../src/service/verify/domains/stored-domain-facts.ts';
import type { Zone } from '../../../engine/world/dns-zone.ts';
import type { MailScript } from '../../../engine/world/mail-script.ts';
import { startWorld } from '../../../engine/world/world.ts';
import { inLong } from '../../../in-long.ts';
import { rounds } from '../../../long.mjs';
import { addressesAt } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { addProcess } from '../../support/process.ts';
import { runService } from '../../support/running-service.ts';
import { makeCustomer } from '../../support/stored-service.ts';

const { db, url: databaseUrl } = await testDatabase();
beforeEach(async () => {
  await db.deleteFrom('batches').execute();
  await sql`truncate paces, conversations, conversation_waits, domain_facts`.execute(db);
});

const PATIENTLY = { timeout: rounds(300_000, 1_200_000), interval: 100 };
const perHost = { connections: 10, perMinute: 1_000_000, recipientsPerConnection: 100 };
const exact: MailScript = {
  rcpt: (recipient) => (/^u\d+@/.test(recipient) ? '250 OK' : '550 5.1.1 User unknown'),
};
const isPerson = (line: string) => /^RCPT TO:<(u|no)\d+@/.test(line);

interface Setting {
  readonly scripts: Readonly<Record<string, MailScript>>;
  readonly names?: Zone;
  readonly processes?: number;
  readonly live?: Partial<LiveSettings>;
}

async function open({ scripts, names = {}, processes = 1, live: more = {} }: Setting) {
  const world = await startWorld(scripts, names);
  onTestFinished(() => world.close());
  const live = { ...settleLive({ ...world.live, dns: [...world.live.dns], perHost }, '/'), ...more };
  const services = Array.from({ length: processes }, () => runService(databaseUrl, { live }));
  for (const { opened } of services) await opened.ready;
  const [service] = services;
  const { headers } = await makeCustomer(db, 100_000, { mode: 'live' });
  /** The results of a batch. */
  async function verify(emails: readonly string[], accept_all?: boolean) {
    const payload = { emails, ...(accept_all !== undefined && { accept_all }) };
    const answer = await service!.ask({ method: 'POST', url: '/v1/batch', headers, payload });
    expect(answer.statusCode).toBe(200);
    const { id } = answer.json<{ id: string }>();
    await vi.waitFor(async () => {
      const body = (await service!.ask({ url: `/v1/batch?id=${id}`, headers })).json();
      expect(body.message).toBe('Batch verification completed.');
    }, PATIENTLY);
    const { rows } = await sql<{ email: string; domain: string; state: string; accept_all: boolean | null }>`
      select result->>'email' as email, result->>'domain' as domain, result->>'state' as state,
        (result->>'accept_all')::boolean as accept_all
      from batch_rows where batch_id = ${id} order by email
    `.execute(db);
    return rows;
  }
  /** The same, as a table. */
  const tableOf = async (emails: readonly string[], acceptAll: boolean) =>
    (await verify(emails, acceptAll)).map(({ email, state, accept_all }) => [email, state, accept_all]);
  const recipients = () =>
    [...world.servers.values()].flatMap((server) => server.lines().filter((line) => line.startsWith('RCPT')));
  const impossible = () => recipients().filter((line) => !isPerson(line));
  const verifyOne = async (query: string) =>
    (await service!.ask({ url: `/v1/verify?timeout=10&${query}`, headers })).json();
  return { world, verify, tableOf, verifyOne, impossible, recipients };
}

// `npm run bench:batch -- --only=lists` has 10,000 addresses in 200 domains.
const DOMAINS = rounds(16, 50);
const ADDRESSES = rounds(160, 2_000);
const SERVERS = ['all-a.test', 'exact-a.test', 'all-b.test', 'exact-b.test'];
const names = Object.fromEntries(
  Array.from({ length: DOMAINS }, (_, index) => [
    `d${index}.test`,
    { MX: [[10, `mx.${SERVERS[index % SERVERS.length]}`] as const] },
  ]),
);
const acceptsAll = (domain: string) => Number(domain.slice(1, -'.test'.length)) % 2 === 0;
const listOf = (first: number) =>
  Array.from({ length: ADDRESSES }, (_, index) => {
    const local = index % 7 === 6 ? 'no' : 'u';
    return `${local}${first + index}@d${index % DOMAINS}.test`;
  });

const FOUR_PROCESSES = { timeout: rounds(600_000, 1_800_000) };
inLong('asks about each domain once, and about none for a second list', FOUR_PROCESSES, async () => {
  const scripts = { 'all-a.test': {}, 'exact-a.test': exact, 'all-b.test': {}, 'exact-b.test': exact };
  const { verify, impossible, recipients } = await open({ scripts, names, processes: 4 });
  const expectTrue = (results: Awaited<ReturnType<typeof verify>>) => {
    expect(results).toHaveLength(ADDRESSES);
    for (const { email, domain, state, accept_all } of results) {
      const exists = email.startsWith('u');
      if (acceptsAll(domain)) expect([state, accept_all]).toEqual(['risky', true]);
      else expect([state, accept_all]).toEqual(exists ? ['deliverable', false] : ['undeliverable', null]);
    }
  };
  expectTrue(await verify(listOf(0)));
  expect(impossible().length).toBeLessThanOrEqual(DOMAINS);
  expect(new Set(impossible()).size).toBe(impossible().length);
  const { rows } = await sql`select from domain_facts where learnt_at is not null`.execute(db);
  expect(rows).toHaveLength(impossible().length);
  const asked = impossible().length;
  expectTrue(await verify(listOf(ADDRESSES)));
  expect(impossible()).toHaveLength(asked);
  // No address was asked about twice.
  expect(recipients()).toHaveLength(2 * ADDRESSES + asked);
});

const MANY = rounds(300, 2_000);
const TWO_PROCESSES = { timeout: rounds(600_000, 1_200_000) };

inLong('costs many addresses of one domain one question and one row', TWO_PROCESSES, async () => {
  const { verify, impossible, recipients } = await open({ scripts: { 'all.test': {} }, processes: 2 });
  const results = await verify(addressesAt(MANY, () => 'all.test'));
  expect(results).toHaveLength(MANY);
  for (const { state, accept_all } of results) expect([state, accept_all]).toEqual(['risky', true]);
  expect(impossible()).toHaveLength(1);
  expect(recipients()).toHaveLength(MANY + 1);
  const facts = await db.selectFrom('domain_facts').select(['domain', 'accepts_all']).execute();
  expect(facts).toEqual([{ domain: 'all.test', accepts_all: true }]);
});

it('asks at Proofpoint in every batch, and takes no acceptance for a mailbox without a refusal', async () => {
  const vain: MailScript = {
    rcpt: (recipient) => (/^u\d+@/.test(recipient) ? '250 OK' : '450 4.2.0 Try again'),
  };
  const scripts = { 'all.test': {}, 'exact.test': exact, 'vain.test': vain };
  const { world, tableOf, impossible } = await open({ scripts });
  for (const name of ['all', 'exact', 'vain']) {
    world.dns.set(`${name}.corp.test`, { MX: [[10, `mx.${name}.pphosted.com`]] });
    world.dns.set(`mx.${name}.pphosted.com`, { A: [world.server(`${name}.test`).ip] });
  }
  const emails = ['u1@all', 'u2@all', 'u1@exact', 'no1@exact', 'u1@vain'].map((name) => `${name}.corp.test`);
  expect(await tableOf(emails, false)).toEqual([
    ['no1@exact.corp.test', 'undeliverable', null],
    ['u1@all.corp.test', 'risky', null],
    ['u1@exact.corp.test', 'deliverable', null],
    ['u1@vain.corp.test', 'risky', null],
    ['u2@all.corp.test', 'risky', null],
  ]);
  expect(impossible()).toHaveLength(3);
  expect(await tableOf(emails, true)).toEqual([
    ['no1@exact.corp.test', 'undeliverable', null],
    ['u1@all.corp.test', 'risky', true],
    ['u1@exact.corp.test', 'deliverable', false],
    ['u1@vain.corp.test', 'risky', null],
    ['u2@all.corp.test', 'risky', true],
  ]);
  expect(impossible()).toHaveLength(3);
});

describe('accept_all of a batch', () => {
  const scripts = { 'all.test': {}, 'exact.test': exact };
  const emails = ['u1@all.test', 'u2@all.test', 'u1@exact.test', 'no1@exact.test'];

  it('with false asks no domain, and is null, with the state from what is known', async () => {
    const { verify, tableOf, impossible } = await open({ scripts });
    expect(await tableOf(emails, false)).toEqual([
      ['no1@exact.test', 'undeliverable', null],
      ['u1@all.test', 'deliverable', null],
      ['u1@exact.test', 'deliverable', null],
      ['u2@all.test', 'deliverable', null],
    ]);
    expect(impossible()).toEqual([]);
    await verify(emails, true);
    expect(impossible()).toHaveLength(2);
    expect(await tableOf(emails, false)).toContainEqual(['u1@all.test', 'risky', null]);
  });

  it('decides against the config', async () => {
    const { verify, impossible } = await open({ scripts, live: { catchAllByDefault: false } });
    expect((await verify(emails)).map(({ accept_all }) => accept_all)).toEqual([null, null, null, null]);
    expect(impossible()).toEqual([]);
    expect((await verify(emails, true)).filter(({ accept_all }) => accept_all)).toHaveLength(2);
  });
});

it('tells single requests of all accounts what a batch has learnt', async () => {
  const { verify, verifyOne, impossible } = await open({ scripts: { 'all.test': {} } });
  await verify(['u1@all.test']);
  expect(await verifyOne('email=u7@all.test')).toMatchObject({ state: 'risky', accept_all: null });
  const one = await verifyOne('email=u8@all.test&accept_all=true');
  expect(one).toMatchObject({ state: 'risky', accept_all: true });
  expect(impossible()).toHaveLength(1);
});

it('waits without a connection while another process asks, and verifies other domains', async () => {
  const processId = crypto.randomUUID();
  await addProcess(db, processId);
  const other = createStoredDomainFacts({ ...DEPS, db, processId });
  const { world, verify } = await open({ scripts: { 'all.test': {}, 'exact.test': exact } });
  const domain = { name: 'all.test', organisation: 'all.test' };
  const claimed = await other.claim(domain, new AbortController().signal);
  if (claimed.kind !== 'claimed') throw new Error('Expected a claim.');
  const people = Array.from({ length: 20 }, (_, index) => `u${index}`);
  const verifying = verify(people.flatMap((local) => [`${local}@all.test`, `${local}@exact.test`]));
  await world.server('exact.test').whenSent(/^RCPT TO:<u/, 20);
  expect(world.server('all.test').connections).toBe(0);
  await claimed.end({ acceptsAll: true, server: 'mx.all.test', code: 250 });
  const results = await verifying;
  const states = (domain: string) =>
    results.filter((each) => each.domain === domain).map(({ state }) => state);
  expect(new Set(states('all.test'))).toEqual(new Set(['risky']));
  expect(new Set(states('exact.test'))).toEqual(new Set(['deliverable']));
  const lines = world.server('all.test').lines();
  expect(lines.filter((line) => line.startsWith('RCPT'))).toHaveLength(20);
});

/** A locked account, whose requests wait for it without a connection. */
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { createUntilUnlocked } from '../../../src/service/credits/unlocked.ts';
import { type Client, VERIFIER, type World, worldOf } from '../oauth/world.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';
import { makePerson, PASSWORD, type Person, Visitor } from '../support/visitor.ts';

const database = await testDatabase();
const { db } = database;
/** More than the connections of the service. */
const MANY = 12;

interface Scene {
  readonly person: Person;
  /** Its app belongs to somebody else. */
  readonly world: Omit<World, keyof Awaited<ReturnType<typeof startStoredService>> | 'accountId'>;
  readonly client: Client;
  visit(): Promise<Visitor>;
}

/** @returns sends a request. What it needs is made before the lock */
type Prepare = (scene: Scene) => Promise<() => Promise<{ statusCode: number }>>;

const REQUESTS: Readonly<Record<string, Prepare>> = {
  async 'the exchange of a code'({ world, client }) {
    const code = await world.codeOf(client);
    return () => world.exchange(client, code, { code_verifier: VERIFIER });
  },
  async 'the exchange of a device code'({ world, client, person }) {
    const device = await world.deviceOf(client);
    await world.grants.allowDevice(device.user_code, person.id);
    return () => world.poll(client, device.device_code);
  },
  async 'consent to an app'({ visit, client }) {
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri: 'https://app.example/callback' },
      ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
    });
    const visitor = await (await visit()).open(`/oauth/authorize?${query}`);
    return async () => (await visitor.press('Allow')).response;
  },
  async 'consent to a device'({ visit, world, client }) {
    const device = await world.deviceOf(client);
    const visitor = await (await visit()).open('/oauth/device');
    await visitor.press('Continue', { Code: device.user_code });
    return async () => (await visitor.press('Allow')).response;
  },
  async 'an action of the dashboard'({ visit }) {
    const visitor = await (await visit()).open('/dashboard/settings');
    return async () => (await visitor.press('Save')).response;
  },
  async 'a sign-in'({ visit, person }) {
    const visitor = await (await visit()).open('/login?other=account');
    return async () => (await visitor.press('Sign in', { Email: person.email, Password: PASSWORD })).response;
  },
};

it.each(Object.keys(REQUESTS))('holds up no other account while %s waits for a locked one', async (name) => {
  const few = database.connect(3, 'service');
  const service = await startStoredService(few, { untilUnlocked: createUntilUnlocked(few) });
  const [person, maker, other] = [await makePerson(db), await makeAccount(db), await makeAccount(db)];
  const world = worldOf(db, service.app, person.id);
  const client = await worldOf(db, service.app, maker).makeApp({ isPublic: true });
  const visit = () => new Visitor(service.app).signIn(person);
  const sends: Awaited<ReturnType<Prepare>>[] = [];
  for (let count = 0; count < MANY; count += 1)
    sends.push(await REQUESTS[name]!({ person, world, client, visit }));
  const { key } = await storeKey(db, other);
  const late = await db.transaction().execute(async (operator) => {
    await sql`select from accounts where id = ${person.id} for update`.execute(operator);
    const late = sends.map((send) => send());
    await vi.waitUntil(async () => {
      const { rows } = await sql<{ looks: number }>`
        select count(*)::integer as looks from pg_stat_activity
        where application_name = 'service' and datname = ${database.name} and query like '%is_locked%'
      `.execute(db);
      return rows[0]!.looks > 0;
    }, PATIENTLY);
    for (let count = 0; count < MANY; count += 1)
      expect((await service.ask({ url: `/v1/account?api_key=${key}` })).statusCode).toBe(200);
    const { rows } = await sql`
      select from pg_stat_activity
      where application_name = 'service' and datname = ${database.name} and wait_event_type = 'Lock'
    `.execute(db);
    expect(rows).toEqual([]);
    return late;
  });
  for (const answer of await Promise.all(late)) expect([200, 302, 303]).toContain(answer.statusCode);
});

/** Strangers who know an email address, and guess its password from many networks, in two processes. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/service/core/log.ts';
import { insertPasskey } from '../../../../src/service/people/factors/passkey-store.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { rememberBrowser } from '../../../../src/service/people/sessions/known-browser-store.ts';
import { createPasswords, type Judged } from '../../../../src/service/people/sign-in/passwords.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { inLong } from '../../../in-long.ts';
import { CHEAP_PASSWORDS } from '../../support/account.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { makePerson, PASSWORD, type Person } from '../../support/visitor.ts';
import { lengthenPauses } from './lengthen-pauses.ts';

const database = await testDatabase();
const { db, run } = database;
emptyBeforeEach(db, 'guesses');

/** Two processes. Each has its own connections, and checks two passwords at once. */
const processes = [db, database.connect()].map((db) =>
  createPasswords({ db, log: silentLog }, CHEAP_PASSWORDS),
);
let tries = 0;
/** The processes take turns. */
function nextProcess() {
  tries += 1;
  return processes[tries % processes.length]!;
}
const judge = ({ email }: Pick<Person, 'email'>, ip: string, password: string, browserToken?: string) =>
  nextProcess().judge({ email, ip, password, browserToken });

const guess = (person: Person, ip: string) => judge(person, ip, 'not the password');
/** Few enough at once that no process is busy. */
async function guessFrom(person: Person, ips: readonly string[]): Promise<Judged['kind'][]> {
  const kinds: Judged['kind'][] = [];
  for (let from = 0; from < ips.length; from += 64) {
    const judged = await Promise.all(ips.slice(from, from + 64).map((ip) => guess(person, ip)));
    kinds.push(...judged.map(({ kind }) => kind));
  }
  return kinds;
}

const endPauses = () =>
  run`update guesses set paused_until = clock_timestamp() where paused_until is not null`;
const networks = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`);
/** From 32 networks, until the waits have their longest length. */
async function guessOften(person: Person): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await guessFrom(person, networks(32));
    await endPauses();
  }
}
async function knownBrowserOf({ personId }: Person): Promise<string> {
  const token = makeValue();
  await rememberBrowser(db, { id: digestOf(token), personId, userAgent: null, network: null });
  return token;
}
/** As the set-up of an authenticator app leaves it. */
const giveSecondFactor = ({ personId }: Person) =>
  insertPasskey(db, {
    ...{ id: makeValue(), personId, publicKey: Buffer.from('key'), counter: 0 },
    ...{ transports: [], name: 'a key', challengedAt: new Date() },
  });
const OWNER = '203.0.113.9';
const wrong = (kinds: readonly Judged['kind'][]) => kinds.filter((kind) => kind === 'wrong').length;

describe('guesses from 32 networks', () => {
  it('do not hold up the right password, until there were a hundred', async () => {
    const person = await makePerson(db);
    for (let round = 0; round < 3; round += 1) await guessFrom(person, networks(32));
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'right' });
  });

  it('hold up the right password for 30 seconds at most, and then no longer, however many guess meanwhile', async () => {
    const person = await makePerson(db);
    await guessOften(person);
    expect(await judge(person, OWNER, PASSWORD)).toEqual({ kind: 'paused', seconds: 30 });
    // More tries do not prolong the wait.
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'paused' });
    await endPauses();
    await guessFrom(person, networks(32));
    await guessFrom(person, networks(32));
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'right' });
  });

  it('never hold up a browser with an earlier sign-in, also from a network that guesses', async () => {
    const person = await makePerson(db);
    const browserToken = await knownBrowserOf(person);
    await guessOften(person);
    await guessFrom(person, networks(1));
    expect(await judge(person, networks(1)[0]!, PASSWORD)).toMatchObject({ kind: 'paused' });
    expect(await judge(person, networks(1)[0]!, PASSWORD, browserToken)).toMatchObject({ kind: 'right' });
  });

  it('never hold up a person with a second factor, who must know the password', async () => {
    const person = await makePerson(db);
    await giveSecondFactor(person);
    await guessOften(person);
    expect(await judge(person, OWNER, 'not the password')).toEqual({ kind: 'paused', seconds: 30 });
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'right' });
    // The waits of others go on, and the person's guesses are counted.
    expect(await judge(person, '203.0.113.10', 'not the password')).toMatchObject({ kind: 'paused' });
  });

  it('let nobody guess faster at a person with a second factor than at others', async () => {
    const person = await makePerson(db);
    await giveSecondFactor(person);
    await guessOften(person);
    for (let tries = 0; tries < 11; tries += 1) await guess(person, OWNER);
    await lengthenPauses(db);
    // Ten of a network are checked at once. Then the right one waits, too.
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'paused' });
    await endPauses();
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'right' });
  });

  inLong('do the same work for a person with a second factor, one without, and nobody', async () => {
    const [one, other] = [await makePerson(db), await makePerson(db)];
    await giveSecondFactor(one);
    const nobody = { ...one, email: 'nobody@example.com' };
    for (const person of [one, other, nobody]) {
      await guessOften(person);
      await guessFrom(person, Array(3).fill(OWNER));
    }
    const { rows } = await sql<{ wrong: number }>`
      select wrong from guesses where subject = any(${[one, other, nobody].map(({ email }) =>
        digestOf(`early account: ${email} from ${OWNER}`),
      )})
    `.execute(db);
    expect(rows).toEqual(Array(3).fill({ wrong: 3 }));
  });

  it('hold up no other person', async () => {
    const person = await makePerson(db);
    await guessOften(person);
    expect(await judge(await makePerson(db), OWNER, PASSWORD)).toMatchObject({ kind: 'right' });
  });
});

describe('fifty guesses at anybody from one network', () => {
  const guessAtAnybody = () =>
    Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        judge({ email: `nobody${index}@example.com` }, OWNER, 'not the password'),
      ),
    );

  it('pause the others there, but nobody who has a second factor and knows the password', async () => {
    const [person, other] = [await makePerson(db), await makePerson(db)];
    await giveSecondFactor(person);
    await guessAtAnybody();
    const { rows } = await run`
      select round(extract(epoch from paused_until - guessed_at))::integer as seconds
      from guesses where paused_until is not null
    `;
    expect(rows).toEqual([{ seconds: 5 }]);
    await lengthenPauses(db);
    expect(await judge(other, OWNER, PASSWORD)).toMatchObject({ kind: 'paused' });
    expect(await judge(person, OWNER, 'not the password')).toMatchObject({ kind: 'paused' });
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'right' });
  });

  it('go on to pause the others there after a right password, and after ten wrong ones the person, too', async () => {
    const [person, other] = [await makePerson(db), await makePerson(db)];
    await giveSecondFactor(person);
    await guessAtAnybody();
    await lengthenPauses(db);
    const judged = await judge(person, OWNER, PASSWORD);
    if (judged.kind === 'right') await judged.forgive();
    expect(await judge(other, OWNER, PASSWORD)).toMatchObject({ kind: 'paused' });
    for (let tries = 0; tries < 10; tries += 1) await guess(person, OWNER);
    await lengthenPauses(db);
    expect(await judge(person, OWNER, PASSWORD)).toMatchObject({ kind: 'paused' });
  });
});

describe('in two processes', () => {
  inLong('exactly a hundred guesses need no wait, although 240 networks guess at once', async () => {
    const person = await makePerson(db);
    const kinds = await guessFrom(person, networks(240));
    expect(wrong(kinds)).toBe(100);
    // Each of the others waits once, and then guesses once.
    const others = networks(240).filter((_, index) => kinds[index] === 'paused');
    await endPauses();
    expect(await guessFrom(person, others)).toEqual(Array(140).fill('wrong'));
    expect(wrong(await guessFrom(person, others))).toBe(0);
  });

  it('exactly ten guesses of one network need no pause', async () => {
    const person = await makePerson(db);
    expect(wrong(await guessFrom(person, Array(64).fill('192.0.2.1')))).toBe(10);
  });

  inLong(
    'exactly thirty guesses at a person need no pause, from all networks of a /48 together',
    async () => {
      const person = await makePerson(db);
      const rotating = (site: string) =>
        Array.from({ length: 120 }, (_, index) => `2001:db8:${site}:${index}::1`);
      expect(wrong(await guessFrom(person, rotating('1')))).toBe(30);
      expect(wrong(await guessFrom(person, rotating('2')))).toBe(30);
    },
  );

  it('a pause costs no hash, so a flood of refused guesses leaves both turns to others', async () => {
    const person = await makePerson(db);
    await guessFrom(person, Array(10).fill('192.0.2.1'));
    await lengthenPauses(db);
    // A hash that cannot be read fails each check.
    await run`update accounts set password_hash = 'x' where id = ${person.id}`;
    expect(await guessFrom(person, Array(20).fill('192.0.2.1'))).toEqual(Array(20).fill('paused'));
    await expect(guess(person, OWNER)).rejects.toThrow('Expected a password hash');
  });
});

describe('a flood from all networks of a /48', () => {
  it('lets a person of another network sign in, although more wait than can', async () => {
    const person = await makePerson(db);
    const flood = Array.from({ length: 300 }, (_, index) =>
      judge({ email: `nobody${index}@example.com` }, `2001:db8:1:${index.toString(16)}::1`, 'x'),
    );
    const both = await Promise.all([1, 2].map(() => judge(person, OWNER, PASSWORD)));
    expect(both.map(({ kind }) => kind)).toEqual(['right', 'right']);
    expect((await Promise.all(flood)).map(({ kind }) => kind)).toContain('busy');
  });

  it('lets a known browser in at once, although 60 networks wait for a slow database', async () => {
    const person = await makePerson(db);
    const browserToken = await knownBrowserOf(person);
    const [one] = processes;
    const judged = await db.transaction().execute(async (transaction) => {
      await sql`lock table guesses in access exclusive mode`.execute(transaction);
      const flood = networks(60).map((ip) =>
        one!.judge({ email: person.email, ip, password: 'x', browserToken: undefined }),
      );
      return [one!.judge({ email: person.email, ip: OWNER, password: PASSWORD, browserToken }), ...flood];
    });
    const [own, ...flood] = await Promise.all(judged);
    expect(own).toMatchObject({ kind: 'right', isKnownBrowser: true });
    expect(flood.map(({ kind }) => kind)).toContain('busy');
  });

  it('takes a known browser of one person for a stranger to everybody else, known or not', async () => {
    const browserToken = await knownBrowserOf(await makePerson(db));
    const other = await makePerson(db);
    expect(await judge(other, OWNER, PASSWORD, browserToken)).toMatchObject({
      ...{ kind: 'right', isKnownBrowser: false },
    });
    expect(await judge({ email: 'nobody@example.org' }, OWNER, 'x', browserToken)).toEqual({ kind: 'wrong' });
  });

  it('counts no guess for which there was no time', async () => {
    const person = await makePerson(db);
    const kinds = await Promise.all(
      Array.from({ length: 200 }, (_, index) => guess(person, `2001:db8:${index.toString(16)}::1`)),
    );
    const counted = kinds.filter(({ kind }) => kind === 'wrong').length;
    expect(counted).toBeLessThan(200);
    const { rows } = await sql<{ most: number }>`select max(wrong) as most from guesses`.execute(db);
    expect(rows[0]!.most).toBe(counted);
  });
});

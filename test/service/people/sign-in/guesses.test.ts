import { describe, expect, it } from 'vitest';
import { forgetOldGuesses } from '../../../../src/service/people/sign-in/guess-store.ts';
import {
  countGuesses,
  forgetGuesses,
  type GuessSubject,
  takeBack,
} from '../../../../src/service/people/sign-in/guesses.ts';
import { dumpOf, emptyBeforeEach, testDatabase } from '../../support/database.ts';

const database = await testDatabase();
const { db, run } = database;
emptyBeforeEach(db, 'guesses');

const rule = { free: 3, firstPause: 100, longestPause: 600 };
const account: GuessSubject = { name: 'account: ada', rule };
const network: GuessSubject = { name: 'network: ::1', rule: { ...rule, free: 5 } };

/** @returns the pause in tens of seconds, because a busy machine may ask some seconds after its beginning */
const ask = async (subjects: [GuessSubject, ...GuessSubject[]] = [account]): Promise<number> =>
  10 * Math.ceil((await countGuesses(db, subjects)) / 10);

/** Lets a pause end. */
const endPauses = () =>
  run`update guesses set paused_until = clock_timestamp() where paused_until is not null`;

async function guess(times: number, subjects?: [GuessSubject, ...GuessSubject[]]): Promise<number[]> {
  const pauses: number[] = [];
  for (let count = 0; count < times; count += 1) pauses.push(await ask(subjects));
  return pauses;
}

const stored = () => db.selectFrom('guesses').select(['wrong', 'paused_until']).orderBy('wrong').execute();

describe('wrong guesses', () => {
  it('are free at first, and then followed by a pause, in which no guess is taken or counted', async () => {
    expect(await guess(5)).toEqual([0, 0, 0, 100, 100]);
    expect(await stored()).toMatchObject([{ wrong: 3 }]);
  });

  it('are followed by pauses that double up to the longest, and never last for ever', async () => {
    await guess(3);
    const pauses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      await endPauses();
      expect(await countGuesses(db, [account])).toBe(0);
      pauses.push(await ask());
    }
    expect(pauses).toEqual([200, 400, 600, 600, 600]);
    await run`update guesses set wrong = 100000, paused_until = null`;
    expect(await guess(2)).toEqual([0, 600]);
  });

  it('do not wait for a pause that began before the clock of the database was set back', async () => {
    expect(await guess(4)).toEqual([0, 0, 0, 100]);
    await run`update guesses set paused_until = paused_until + interval '1 hour'`;
    expect(await guess(2)).toEqual([0, 200]);
  });

  it('are counted for each subject alone', async () => {
    await guess(4);
    expect(await countGuesses(db, [{ ...account, name: 'account: bob' }])).toBe(0);
  });

  it('count for no subject if one of them has a pause', async () => {
    await guess(3, [account, network]);
    expect(await guess(2, [account, network])).toEqual([100, 100]);
    expect((await stored()).map(({ wrong }) => wrong)).toEqual([3, 3]);
  });

  it('are limited exactly, however many come at once and from however many processes', async () => {
    const others = [db, database.connect(), database.connect()];
    const pauses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => countGuesses(others[index % 3]!, [account, network])),
    );
    expect(pauses.filter((seconds) => seconds === 0)).toHaveLength(3);
  });

  it('are not taken while the database is away', async () => {
    const away = database.connect(1);
    await countGuesses(away, [account]);
    await away.destroy();
    await expect(countGuesses(away, [account])).rejects.toThrow('destroyed');
  });

  it('are stored without what they are counted for', async () => {
    await guess(1);
    expect(await dumpOf(db, 'guesses')).not.toMatch(/ada|616461/);
  });
});

describe('a right guess', () => {
  it('takes itself back, with the pause that it began', async () => {
    await guess(3);
    await takeBack(db, account);
    expect(await stored()).toEqual([{ wrong: 2, paused_until: null }]);
    expect(await guess(2)).toEqual([0, 100]);
  });

  it('leaves no row behind if it was the only one', async () => {
    await guess(1);
    await takeBack(db, account);
    await takeBack(db, account);
    expect(await stored()).toEqual([]);
  });

  it('takes back exactly itself when several are right at once', async () => {
    await guess(1);
    await Promise.all([1, 2, 3].map(() => countGuesses(db, [network])));
    const elsewhere = database.connect();
    await Promise.all([takeBack(db, network), takeBack(elsewhere, network), takeBack(db, network)]);
    expect(await stored()).toMatchObject([{ wrong: 1 }]);
  });

  it('can end the count', async () => {
    await guess(4);
    await forgetGuesses(db, account);
    expect(await guess(4)).toEqual([0, 0, 0, 100]);
  });
});

it('forgets subjects at which nobody has guessed for an hour', async () => {
  await guess(4);
  await forgetOldGuesses(db);
  expect(await stored()).toHaveLength(1);
  await run`update guesses set guessed_at = guessed_at - interval '61 minutes'`;
  await forgetOldGuesses(db);
  expect(await stored()).toEqual([]);
});

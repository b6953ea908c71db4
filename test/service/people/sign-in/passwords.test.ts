import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../../src/service/core/log.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { countGuesses, takeBack } from '../../../../src/service/people/sign-in/guesses.ts';
import { createPasswords } from '../../../../src/service/people/sign-in/passwords.ts';
import { CHEAP_PASSWORDS } from '../../support/account.ts';

vi.mock('../../../../src/service/people/sign-in/guesses.ts', () => ({
  countGuesses: vi.fn(async () => 0),
  takeBack: vi.fn(),
  forgetGuesses: vi.fn(),
}));

/** A hash leaves the event loop. So none of them ends before everything that waits for none has gone on. */
function start() {
  vi.clearAllMocks();
  // No account has such an address, so nothing is looked up.
  const passwords = createPasswords({ db: {} as Db, log: silentLog }, CHEAP_PASSWORDS);
  const judge = () =>
    passwords.judge({ email: '\0', password: 'x', ip: '2001:db8::1', browserToken: undefined });
  return { passwords, judge };
}

/** Two run, and fifty wait. */
const AS_MANY_AS_FIT = 52;
const many = <Result>(make: () => Promise<Result>) => Array.from({ length: AS_MANY_AS_FIT }, make);

describe('more hashes than can wait', () => {
  it('refuse a guess, and take back each of its counts', async () => {
    const { judge } = start();
    const judged = many(judge);
    // Two at once are counted. A tick comes when all of them are, and before any hash ends.
    await new Promise(process.nextTick);
    expect(countGuesses).toHaveBeenCalledTimes(AS_MANY_AS_FIT);
    expect(await judge()).toEqual({ kind: 'busy' });
    const names = vi.mocked(takeBack).mock.calls.map(([, subject]) => subject.name.split(':')[0]);
    expect(names).toEqual(['account', 'account', 'sign-in network', 'sign-in network', 'account']);
    expect(new Set((await Promise.all(judged)).map(({ kind }) => kind))).toEqual(new Set(['wrong']));
    expect(takeBack).toHaveBeenCalledTimes(names.length);
  });

  it('refuse a new password', async () => {
    const { passwords } = start();
    const hash = () => passwords.hash('a new password', 'acc_1');
    const hashed = many(hash);
    expect(await hash()).toBe('busy');
    for (const text of await Promise.all(hashed)) expect(text).toMatch(/^scrypt\$/);
  });
});

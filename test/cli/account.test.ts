import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { readLeft } from '../../src/service/deletion/deletion-store.ts';
import { setNoticeUrl } from '../../src/service/notices/notice-store.ts';
import { findAccountByEmail } from '../../src/service/people/accounts/account-store.ts';
import { checkPassword, hashPassword } from '../../src/service/people/accounts/password-hash.ts';
import { createAccount as storeAccount } from '../../src/service/people/members/create-account.ts';
import { membershipsOf } from '../../src/service/people/members/member-store.ts';
import { createPerson, findPersonByEmail } from '../../src/service/people/persons/person-store.ts';
import { inLong } from '../in-long.ts';
import { CHEAP_PASSWORDS } from '../service/support/account.ts';
import { testDatabase } from '../service/support/database.ts';
import { adminOn, createFolder } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);
const folder = createFolder();

const NO_LIMITS = {
  ...{ verify_per_second: null, batch_per_second: null, account_per_second: null, batch_size: null },
  ...{ stored_entries: null, open_batches: null },
};

let accounts = 0;
/** Makes an account without a password, because that takes long, and returns its address. */
async function createAccount(credits = 0): Promise<string> {
  accounts += 1;
  const email = `owner-${accounts}@example.com`;
  await storeAccount(database.db, { email, passwordHash: 'none', credits });
  return email;
}

const show = (email: string) => admin.done('account', 'show', '--email', email);

it('prints an empty list before the first account', async () => {
  expect(await admin.done('account', 'list')).toEqual([]);
});

describe('account create', () => {
  it('prints the account and a generated password', async () => {
    const account = await admin.done('account', 'create', '--email', 'Ada@Example.com');
    expect(account).toEqual({
      ...{ id: expect.stringMatching(/^acc_[0-9a-f]{24}$/), owner_email: 'Ada@Example.com' },
      ...{ available_credits: 0, password: expect.stringMatching(/^[a-z2-9-]{16,}$/) },
    });
    const shown = JSON.stringify(await admin.done('account', 'show', '--email', 'ada@example.com'));
    expect(shown).not.toContain(account.password);
  });

  it('generates a different password for each account', async () => {
    const passwords = new Set<string>();
    for (const email of ['one@example.com', 'two@example.com']) {
      passwords.add((await admin.done('account', 'create', '--email', email)).password);
    }
    expect(passwords.size).toBe(2);
  });

  it('takes the password from a file and does not print it', async () => {
    const path = folder.write('password', 'correct horse\n');
    const email = 'grace@example.com';
    const flags = ['--email', email, '--credits', '12', '--password-file', path];
    const account = await admin.done('account', 'create', ...flags);
    expect(account).toEqual({ id: expect.any(String), owner_email: email, available_credits: 12 });
    expect(await verifies(email, 'correct horse')).toBe(true);
    expect(await verifies(email, 'correct horse\n')).toBe(false);
  });

  it('books the first credits in the ledger', async () => {
    const email = 'rich@example.com';
    await admin.done('account', 'create', '--email', email, '--credits', '1000000000000');
    const { ledger } = await show(email);
    expect(ledger).toMatchObject([{ amount: 1e12, why: 'top-up', balance: 1e12 }]);
    const without = await admin.done('account', 'show', '--email', await createAccount());
    expect(without.ledger).toEqual([]);
  });

  it('refuses an address that has an account, in any case', async () => {
    const email = await createAccount();
    const again = await admin.refused('account', 'create', '--email', email.toUpperCase());
    expect(again).toContain('--email');
    expect(again).toContain(email.toUpperCase());
  });

  describe('for the address of a person', () => {
    const makePerson = async () => {
      accounts += 1;
      const email = `person-${accounts}@example.com`;
      const passwordHash = await hashPassword('their own words', { N: 16, r: 1, p: 1 });
      await createPerson(db, { email, passwordHash });
      return email;
    };
    const accountsOf = async (email: string) => membershipsOf(db, (await findPersonByEmail(db, email))!.id);

    it('captures nobody: without --existing-person, there is no account, and the password stays', async () => {
      const email = await makePerson();
      const error = await admin.refused('account', 'create', '--email', email.toUpperCase());
      expect(error).toContain('--existing-person');
      expect(await verifies(email, 'their own words')).toBe(true);
      expect(await accountsOf(email)).toEqual([]);
      expect(await findAccountByEmail(db, email)).toBeUndefined();
    });

    it('makes the person the owner with --existing-person, and changes and prints no password', async () => {
      const email = await makePerson();
      const made = await admin.done('account', 'create', '--email', email, '--existing-person');
      expect(made).toEqual({ id: expect.any(String), owner_email: email, available_credits: 0 });
      expect(await verifies(email, 'their own words')).toBe(true);
      expect(await accountsOf(email)).toEqual([{ accountId: made.id, ownerEmail: email, role: 'owner' }]);
    });

    it('refuses a password for a person who has one', async () => {
      const path = folder.write('other', 'another password\n');
      const email = await makePerson();
      const flags = ['--email', email, '--existing-person', '--password-file', path];
      expect(await admin.refused('account', 'create', ...flags)).toContain('--password-file');
      expect(await accountsOf(email)).toEqual([]);
    });

    it('refuses --existing-person where there is none', async () => {
      const flags = ['--email', 'nobody-at-all@example.com', '--existing-person'];
      expect(await admin.refused('account', 'create', ...flags)).toContain('--existing-person');
    });
  });

  it('creates one account when two commands run at once', async () => {
    const email = 'race@example.com';
    const create = () => admin.done('account', 'create', '--email', email, '--credits', '5');
    const results = await Promise.allSettled([create(), create()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await show(email)).ledger).toHaveLength(1);
  });

  it.each([
    [['--credits', '5'], '--email'],
    [['--email', 'ada'], '"ada"'],
    [['--email', 'x@example.com', '--credits', '-1'], '--credits'],
    [['--email', 'x@example.com', '--credits', '1.5'], '"1.5"'],
    [['--email', 'x@example.com', '--credits', 'many'], '"many"'],
    [['--email', 'x@example.com', '--credits', '1000000000001'], '--credits'],
    [['--email', 'x@example.com', '--password-file', '/nowhere/password'], '--password-file'],
    [['--email', 'x@example.com', '--password', 'correct horse'], '--password'],
  ])('refuses %j and creates nothing', async (flags, named) => {
    const error = await admin.refused('account', 'create', ...flags);
    expect(error).toContain(named);
    expect(error).not.toContain('correct horse');
    const accounts = await admin.listed('account', 'list');
    expect(accounts.map(({ owner_email }) => owner_email)).not.toContain('x@example.com');
  });

  it.each([
    ['empty', ''],
    ['short', 'seven77\n'],
  ])('refuses a password file that is %s', async (name, text) => {
    const path = folder.write(name, text);
    const flags = ['--email', 'x@example.com', '--password-file', path];
    const error = await admin.refused('account', 'create', ...flags);
    expect(error).toContain('--password-file');
    expect(error).not.toContain('seven77');
  });
});

describe.each(['create', 'password'])('account %s', (verb) => {
  it.each([
    ['common', 'Baseball1', 'one of the 100,000 most common ones'],
    ['own', 'lovelace-1815', 'Your email address'],
    ['long', 'x'.repeat(129), '8 to 128 characters'],
  ])(
    'refuses a %s password, as the page of security does, and does not quote it',
    async (name, text, why) => {
      const email = `lovelace-${verb}-${name}@example.com`;
      if (verb === 'password') await admin.done('account', 'create', '--email', email);
      const path = folder.write(`${name}-${verb}`, `${text}\n`);
      const error = await admin.refused('account', verb, '--email', email, '--password-file', path);
      expect(error).toContain('--password-file');
      expect(error).toContain(why);
      expect(error).not.toContain(text);
      expect(await verifies(email, text)).toBe(false);
    },
  );
});

describe('account add-credits', () => {
  it('adds and removes credits and prints the new balance', async () => {
    const email = await createAccount(10);
    const add = (amount: string) =>
      admin.done('account', 'add-credits', '--email', email.toUpperCase(), '--amount', amount);
    expect(await add('5')).toEqual({ owner_email: email, available_credits: 15 });
    expect(await add('-15')).toEqual({ owner_email: email, available_credits: 0 });
  });

  describe('with a reference', () => {
    const add = (email: string, amount: string, id: string) =>
      ['account', 'add-credits', '--email', email, '--amount', amount, '--id', id] as const;

    it('adds once, also with white space around it', async () => {
      const email = await createAccount();
      const [first, again] = [add(email, '5', 'invoice 7'), add(email, '5', ' invoice 7\t')];
      expect(await admin.done(...first)).toMatchObject({ available_credits: 5, added: true });
      expect(await admin.done(...again)).toMatchObject({ available_credits: 5, added: false });
    });

    it('adds once, however often it is repeated', async () => {
      const email = await createAccount();
      const command = add(email, '5', 'invoice 1');
      const added = { owner_email: email, available_credits: 5, added: true };
      expect(await admin.done(...command)).toEqual(added);
      await admin.done('account', 'add-credits', '--email', email, '--amount', '-2');
      for (let again = 1; again <= 2; again += 1)
        expect(await admin.done(...command)).toEqual({ ...added, available_credits: 3, added: false });
      const { ledger } = await show(email);
      expect(ledger).toMatchObject([{ amount: -2 }, { amount: 5, of: 'invoice 1' }]);
    });

    it('refuses another amount and another account, also after the ledger has lost the row', async () => {
      const [one, two] = [await createAccount(), await createAccount()];
      await admin.done(...add(one, '5', 'invoice 2'));
      await sql`delete from ledger where of = 'invoice 2'`.execute(database.db);
      expect(await admin.done(...add(one, '5', 'invoice 2'))).toMatchObject({ added: false });
      expect(await admin.refused(...add(one, '6', 'invoice 2'))).toContain('Expected --amount to be 5');
      expect(await admin.refused(...add(two, '5', 'invoice 2'))).toContain('of another account');
      await admin.done('account', 'delete', '--email', one, '--yes');
      expect(await admin.refused(...add(two, '5', 'invoice 2'))).toContain('of another account');
    });

    it('adds once if two commands run at once', async () => {
      const email = await createAccount();
      const results = await Promise.all([1, 2].map(() => admin.done(...add(email, '5', 'invoice 3'))));
      const added = results.map((result) => (result as unknown as { added: boolean }).added);
      expect(added.sort()).toEqual([false, true]);
      expect(results.map(({ available_credits }) => available_credits)).toEqual([5, 5]);
    });

    it('leaves the reference free if the credits do not suffice', async () => {
      const email = await createAccount(3);
      await admin.refused(...add(email, '-5', 'correction 1'));
      await admin.done('account', 'add-credits', '--email', email, '--amount', '2');
      const corrected = await admin.done(...add(email, '-5', 'correction 1'));
      expect(corrected).toMatchObject({ available_credits: 0, added: true });
    });
  });

  it('writes the note into the ledger', async () => {
    const email = await createAccount();
    const flags = ['--email', email, '--amount', '7', '--note', 'Invoice 42'];
    await admin.done('account', 'add-credits', ...flags);
    const { ledger } = await show(email);
    expect(ledger).toEqual([
      { amount: 7, why: 'top-up', of: 'Invoice 42', balance: 7, at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
  });

  it('takes one note for several changes', async () => {
    const email = await createAccount();
    for (const amount of ['7', '8']) {
      await admin.done(...['account', 'add-credits', '--email', email, '--amount', amount, '--note', 'Gift']);
    }
    expect((await show(email)).available_credits).toBe(15);
  });

  it('refuses to go below 0 and changes nothing', async () => {
    const email = await createAccount(4);
    const error = await admin.refused('account', 'add-credits', '--email', email, '--amount', '-5');
    expect(error).toContain('--amount');
    expect(error).toContain('4');
    const account = await show(email);
    expect([account.available_credits, account.ledger.length]).toEqual([4, 1]);
  });

  it('refuses to go above the largest balance', async () => {
    const email = await createAccount();
    await database.db
      .updateTable('accounts')
      .set({ available_credits: Number.MAX_SAFE_INTEGER })
      .where('owner_email', '=', email)
      .execute();
    const error = await admin.refused('account', 'add-credits', '--email', email, '--amount', '1');
    expect(error).toContain('--amount');
  });

  it('keeps the balance at the sum of the ledger when commands run at once', async () => {
    const email = await createAccount(3);
    const take = () => admin.done('account', 'add-credits', '--email', email, '--amount', '-1');
    const results = await Promise.allSettled(Array.from({ length: 6 }, take));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const { available_credits, ledger } = await show(email);
    expect(available_credits).toBe(0);
    expect(ledger.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  });

  it.each([
    [['--amount', '5'], '--email'],
    [['--email', 'ada@example.com'], '--amount'],
    [['--email', 'ada@example.com', '--amount', '0'], '--amount'],
    [['--email', 'ada@example.com', '--amount', '-0'], '--amount'],
    [['--email', 'ada@example.com', '--amount', 'x'], '"x"'],
    [['--email', 'nobody@example.com', '--amount', '5'], 'nobody@example.com'],
  ])('refuses %j', async (flags, named) => {
    expect(await admin.refused('account', 'add-credits', ...flags)).toContain(named);
  });
});

describe('account limits', () => {
  it('sets the given limits and keeps the others', async () => {
    const email = await createAccount();
    const set = (...flags: string[]) => admin.done('account', 'limits', '--email', email, ...flags);
    const limits = { ...NO_LIMITS, verify_per_second: 1_000_000, batch_size: 60_000 };
    const large = await set('--verify-per-second', '1000000', '--batch-size', '60000');
    expect(large).toEqual({ owner_email: email, limits });
    await set('--batch-per-second', '2', '--account-per-second=3', '--batch-size', '1');
    await set('--stored-entries', '10000000', '--open-batches', '7');
    expect((await show(email)).limits).toEqual({
      ...{ verify_per_second: 1_000_000, batch_per_second: 2, account_per_second: 3 },
      ...{ batch_size: 1, stored_entries: 10_000_000, open_batches: 7 },
    });
  });

  it.each([
    [[], '--batch-size'],
    [['--batch-size', '0'], '--batch-size'],
    [['--stored-entries', '0'], '--stored-entries'],
    [['--open-batches', '1000001'], '--open-batches'],
    [['--verify-per-second', '1000001'], '--verify-per-second'],
    [['--account-per-second', '-1'], '--account-per-second'],
    [['--batch-per-second', '2.5'], '"2.5"'],
  ])('refuses %j', async (flags, named) => {
    const email = await createAccount();
    expect(await admin.refused('account', 'limits', '--email', email, ...flags)).toContain(named);
  });

  it('refuses an unknown account', async () => {
    const flags = ['--email', 'nobody@example.com', '--batch-size', '5'];
    expect(await admin.refused('account', 'limits', ...flags)).toContain('nobody@example.com');
  });
});

describe('account list and account show', () => {
  it('list every account without its secrets', async () => {
    const email = await createAccount(3);
    const accounts = await admin.listed('account', 'list');
    expect(accounts).toContainEqual({
      ...{ id: expect.stringMatching(/^acc_/), owner_email: email, available_credits: 3 },
    });
    expect(JSON.stringify(accounts)).not.toMatch(/whsec_|scrypt|"\w*password/);
  });

  it('show one account with its callback secret, limits and ledger', async () => {
    const email = await createAccount(3);
    expect(await admin.done('account', 'show', '--email', email.toUpperCase())).toEqual({
      ...{ id: expect.stringMatching(/^acc_/), owner_email: email, available_credits: 3 },
      callback_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32,}=*$/),
      notice_url: null,
      limits: NO_LIMITS,
      ledger: [{ amount: 3, why: 'top-up', of: null, balance: 3, at: expect.any(String) }],
    });
  });

  it('show the notice URL of an account that has one', async () => {
    const { id, owner_email } = await admin.done('account', 'create', '--email', 'low@example.com');
    await setNoticeUrl(database.db, id, 'https://shop.example/low');
    expect(await show(owner_email)).toMatchObject({ notice_url: 'https://shop.example/low' });
  });

  it('show the latest 100 changes of credits, newest first', async () => {
    const email = await createAccount(1);
    await sql`
      insert into ledger (account_id, amount, why, balance)
      select accounts.id, 1, 'top-up', balance
      from accounts, generate_series(2, 120) as balance
      where owner_email = ${email} order by balance
    `.execute(database.db);
    const { ledger } = await show(email);
    expect(ledger).toHaveLength(100);
    expect([ledger[0]?.balance, ledger[99]?.balance]).toEqual([120, 21]);
  });

  it('refuse an unknown account', async () => {
    const email = 'nobody@example.com';
    expect(await admin.refused('account', 'show', '--email', email)).toContain(email);
  });
});

describe('account delete', () => {
  it('deletes the account with its keys and ledger', async () => {
    const email = await createAccount(3);
    const key = ['--email', email, '--kind', 'private', '--mode', 'live'];
    const { id } = await admin.done('key', 'create', ...key);
    const deleted = await admin.done('account', 'delete', '--email', email.toUpperCase(), '--yes');
    expect(deleted).toMatchObject({ owner_email: email, deleted: true });
    expect(await admin.refused('account', 'show', '--email', email)).toContain(email);
    expect(await admin.refused('key', 'revoke', '--id', id)).toContain(id);
  });

  inLong('says what is left of a large account, since when, and also when it is run again', async () => {
    const createLarge = async () => {
      const email = await createAccount();
      const { id } = await show(email);
      await sql`
        insert into ledger (account_id, amount, why, balance)
        select ${id}, 1, 'top-up', i from generate_series(1, 12000) as i
      `.execute(db);
      return { email, id };
    };
    const deletion = (email: string) => admin.done('account', 'delete', '--email', email, '--yes');
    const { email, id } = await createLarge();
    // A busy machine deletes a part of it in the time of a command.
    const deleted = { id, owner_email: email, deleted: true, since: null, left: null };
    await vi.waitFor(async () => expect(await deletion(email)).toEqual(deleted));
    const { email: large, id: other } = await createLarge();
    // As if its deletion had been interrupted.
    await sql`
      update accounts set deleted_at = clock_timestamp(), email_key = 'deleted' where id = ${other}
    `.execute(db);
    expect(await readLeft(db, other)).toMatchObject({ since: expect.any(Date), left: { ledger: 12_000 } });
    expect(await admin.refused('account', 'show', '--email', large)).toContain(large);
    await vi.waitFor(async () => expect(await deletion(large)).toMatchObject({ id: other, left: null }));
    expect(await admin.refused('account', 'delete', '--email', large, '--yes')).toContain(large);
  });

  it('refuses without --yes and deletes nothing', async () => {
    const email = await createAccount();
    expect(await admin.refused('account', 'delete', '--email', email)).toContain('--yes');
    expect(await show(email)).toMatchObject({ owner_email: email });
  });

  it('refuses an unknown account', async () => {
    const flags = ['--email', 'nobody@example.com', '--yes'];
    expect(await admin.refused('account', 'delete', ...flags)).toContain('nobody@example.com');
  });
});

describe('account password', () => {
  it('replaces the password by that of a file', async () => {
    const email = await createAccount();
    const path = folder.write('new', 'a new password\r\n');
    const flags = ['--email', email.toUpperCase(), '--password-file', path];
    expect(await admin.done('account', 'password', ...flags)).toEqual({ owner_email: email });
    expect(await verifies(email, 'a new password')).toBe(true);
    // The person is told at the next sign-in.
    const { rows } = await sql`
      select event, actor_kind from person_events join persons on persons.id = person_id where email = ${email}
    `.execute(db);
    expect(rows).toEqual([{ event: 'password.changed', actor_kind: 'operator' }]);
  });

  it('generates a password without a file', async () => {
    const email = await createAccount();
    const { password } = await admin.done('account', 'password', '--email', email);
    expect(password.length).toBeGreaterThanOrEqual(16);
    expect(await verifies(email, password)).toBe(true);
  });

  it.each([
    [['--email', 'nobody@example.com'], 'nobody@example.com'],
    [[], '--email'],
  ])('refuses %j', async (flags, named) => {
    expect(await admin.refused('account', 'password', ...flags)).toContain(named);
  });
});

/** Whether the stored hash of the account fits the password. */
async function verifies(email: string, password: string): Promise<boolean> {
  const person = await findPersonByEmail(database.db, email);
  return checkPassword(password, person?.password_hash ?? undefined, CHEAP_PASSWORDS);
}

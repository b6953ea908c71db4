/** What every page says about credits that run low. */
import { describe, expect, it } from 'vitest';
import { lowBanner } from '../../../src/service/dashboard/low-banner.ts';
import { createSite } from '../../../src/service/pages/page-urls.ts';
import { topUp } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { settingsWith } from '../support/deps.ts';
import { change } from '../support/low.ts';
import { type StoredServiceOptions, startStoredService } from '../support/stored-service.ts';
import { makePerson, Visitor } from '../support/visitor.ts';

const { db } = await testDatabase();

/** A person who has used 70 credits today. */
async function start(available: number, options: StoredServiceOptions = {}) {
  const service = await startStoredService(db, options);
  const person = await makePerson(db, 70 + available);
  await change(db, person.id, -70);
  const visitor = await new Visitor(service.app).signIn(person);
  const look = async (path = '/dashboard/keys') => {
    await visitor.open(path);
    const banner = visitor.document.querySelector('#running-low');
    return banner && banner.textContent!.replace(/\s+/g, ' ').trim();
  };
  return { visitor, person, look };
}

const PAGES = [
  ...['/dashboard/', '/dashboard/verify', '/dashboard/batches', '/dashboard/batches/new', '/dashboard/keys'],
  ...['/dashboard/keys/new', '/dashboard/apps', '/dashboard/apps/new', '/dashboard/usage'],
  ...['/dashboard/audit', '/dashboard/settings', '/dashboard/settings/address', '/dashboard/nothing'],
  '/dashboard/keys/nothing',
];

/** What pages say with a billing service. */
async function tellWithBilling(accountId: string, publicKeys = false): Promise<string> {
  const settings = settingsWith({
    billing: { url: 'http://127.0.0.1/', secret: 'whsec_', perDay: 20, publicKeys },
  });
  const banner = await lowBanner({ db, settings }, createSite(undefined), accountId);
  return banner!.toString().replace(/<[^>]+>/g, '');
}

it('is on every page, as a status, once', async () => {
  const { visitor, look } = await start(29);
  for (const path of PAGES) {
    expect(await look(path), path).toContain('Your credits run low: 29 are left.');
    expect(visitor.document.querySelectorAll('main > [role=status]#running-low')).toHaveLength(1);
  }
});

it('is on a page that shows a fault, too', async () => {
  const { visitor } = await start(29);
  await visitor.open('/dashboard/settings');
  await visitor.press('Save the notice URL', { notice_url: 'nonsense' });
  expect([visitor.status, visitor.document.querySelectorAll('#running-low').length]).toEqual([422, 1]);
});

it('says how long the credits last, and where more come from', async () => {
  const { visitor, look } = await start(29);
  expect(await look()).toBe(
    'Your credits run low: 29 are left. At the pace of the last 7 days, they last 2 days. Ask the operator of this service for more. See what used them',
  );
  expect(visitor.document.querySelector('#running-low a')!.getAttribute('href')).toBe('/dashboard/usage');
});

it.each([
  [1, '1 is left. At the pace of the last 7 days, they last less than a day.'],
  [10, '10 are left. At the pace of the last 7 days, they last 1 day.'],
  [0, 'You have no credits left. Live verifications and batches are refused until credits are added.'],
])('says it of %i credits', async (available, words) => {
  expect(await (await start(available)).look()).toContain(words);
});

it('is not there for an account with enough credits, or without use', async () => {
  const { person, look } = await start(29);
  await topUp(db, person.id, 1);
  for (const path of PAGES) expect([path, await look(path)]).toEqual([path, null]);
  const service = await startStoredService(db, { lowCredits: 100 });
  const visitor = await new Visitor(service.app).signIn(await makePerson(db));
  await visitor.open('/dashboard/keys');
  expect(visitor.document.querySelector('#running-low')).toBeNull();
});

it('is there below the least number of the operator', async () => {
  const { look } = await start(99, { lowCredits: 100 });
  const said = 'Your credits run low: 99 are left. At the pace of the last 7 days, they last 9 days.';
  expect(await look()).toContain(said);
});

describe('the overview', () => {
  it('does not say it a second time, and does not say that all is well', async () => {
    const { visitor, look } = await start(29);
    await look('/dashboard/');
    expect(visitor.text.match(/At (the|this) pace/g)).toHaveLength(1);
    expect(visitor.text).not.toContain('All is well');
    expect(visitor.text).not.toContain('What needs attention');
  });

  it('says it first for credits that last less than a week', async () => {
    const { visitor, look } = await start(65);
    expect(await look('/dashboard/')).toBeNull();
    expect(visitor.text).toContain('At this pace, your credits last 6 days.');
  });
});

it.each([29, 0])(
  'says of %i credits that a payment is asked for, with billing that has paid before',
  async (available) => {
    const { person } = await start(available);
    const ended = { outcome: 'credited', credits: 5, ended_at: new Date(), message: null } as const;
    const payment = { id: `paid by ${person.id}`, account: person.id, needed: 5, process_id: null, ...ended };
    await db.insertInto('payments').values(payment).execute();
    const told = await tellWithBilling(person.id);
    expect(told).toContain('this service asks for a payment');
    expect(told).not.toContain('batches are refused');
  },
);

describe('with a billing service', () => {
  const tell = async (available: number, publicKeys: boolean) =>
    tellWithBilling((await start(available)).person.id, publicKeys);
  const ASKS =
    'If a batch or a request of a private key or an app needs more than you have, this service asks for a payment.';

  it('says that requests of public keys are refused, because their visitors cause no payment', async () => {
    const said = `You have no credits left. ${ASKS} Requests of public keys are refused.`;
    expect(await tell(0, false)).toContain(said);
    expect(await tell(29, false)).toContain(`${ASKS} Without credits, requests of public keys are refused.`);
  });

  it('says that every request asks for a payment if the operator wants it', async () => {
    const told = await tell(0, true);
    expect(told).toContain('If a request needs more than you have, this service asks for a payment.');
    expect(told).not.toContain('refused');
  });
});

it.each([
  [
    { billingPage: 'https://pay.example/{account}' },
    'Get more credits',
    (id: string) => `https://pay.example/${id}`,
  ],
  [{ support: 'help@example.com' }, 'help@example.com', () => 'mailto:help@example.com'],
  [{ support: 'https://example.com/help' }, 'https://example.com/help', () => 'https://example.com/help'],
])('leads to where credits come from: %j', async (options, words, url) => {
  const { visitor, person, look } = await start(0, options);
  const text = await look();
  expect(text).toContain(words);
  expect(text).not.toContain('operator');
  expect(visitor.document.querySelector('#running-low a')!.getAttribute('href')).toBe(url(person.id));
});

it('says a support that is a text as it is', async () => {
  const { look } = await start(0, { support: 'Call <b>+1 555</b>.' });
  expect(await look()).toContain('Call <b>+1 555</b>. See what used them');
});

it('says that a payment is in progress instead of that one will be asked for', async () => {
  const { person } = await start(29);
  const values = { id: `of ${person.id}`, account: person.id, needed: 1_200, asked_at: new Date(0) };
  await db.insertInto('payments').values(values).execute();
  const text = await tellWithBilling(person.id);
  expect(text).toContain(
    'A payment is in progress since 1 Jan 1970, 00:00 UTC, because a request needed 1,200 credits.',
  );
  expect(text).not.toContain('asks for a payment');
});

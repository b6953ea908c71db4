/** `/dashboard/` as a person at a browser without scripts sees it. */
import { describe, expect, it } from 'vitest';
import { findAlerts } from '../../../../src/service/dashboard/overview/alerts.ts';
import { readFacts } from '../../../../src/service/dashboard/overview/overview-facts.ts';
import { createSite } from '../../../../src/service/pages/page-urls.ts';
import type { DailyCount } from '../../../../src/service/usage/usage-store.ts';
import { addRefusals } from '../../../../src/service/usage/usage-store.ts';
import { topUp } from '../../support/account.ts';
import { createBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { createScript, startStoredService, storeKey } from '../../support/stored-service.ts';
import { arrive, makePerson, type Person, type Visitor } from '../../support/visitor.ts';
import { texts } from '../batches/person.ts';

const { db, run } = await testDatabase();

async function start(options: Parameters<typeof startStoredService>[1] = {}, credits = 0) {
  const service = await startStoredService(db, options);
  const { person, visitor } = await arrive(service, db, credits);
  const look = async (query = '') => {
    await visitor.open(`/dashboard/${query}`);
    return visitor.text;
  };
  return { ...service, person, visitor, look };
}

/** Results of so many days ago. */
async function insertResults(
  { id }: Person,
  daysAgo: number,
  reason: DailyCount['reason'],
  count: number,
  more: { mode?: 'test' | 'live'; source?: 'verify' | 'batch' } = {},
) {
  const { mode = 'live', source = 'verify' } = more;
  await run`
    insert into daily_results values
      (${id}, (now() at time zone 'UTC')::date - ${daysAgo}::integer, ${source}, ${mode}, ${reason}, ${count})
  `;
}

const spend = (accountId: string, credits: number) =>
  run`select change_credits(${accountId}, ${-credits}, 'verification', gen_random_uuid()::text)`;

/** More than a week ago, so that credits do not run low. */
async function spendLongAgo(accountId: string, credits: number): Promise<void> {
  await spend(accountId, credits);
  await run`update ledger_days set day = day - 8 where account_id = ${accountId}`;
}

/** The figures of the cards: credits, verified today, open batches. */
const figuresOf = ({ document }: Visitor) =>
  [...document.querySelectorAll('.figure')].map(({ textContent }) => textContent);
const attentionOf = (visitor: Visitor) => texts(visitor, '.attention > li');

describe('the first visit', () => {
  it('says what to do first, and ticks off what is done', async () => {
    const { look, visitor, person } = await start();
    expect(await look()).toContain('Welcome. Start with these three steps');
    expect(visitor.document.querySelectorAll('.steps .over')).toHaveLength(0);
    expect(visitor.document.querySelector('#charts')).toBeNull();
    const next = () => visitor.document.querySelector('.steps .primary')!.getAttribute('href');
    expect(next()).toBe('/dashboard/keys/new');
    await storeKey(db, person.id);
    await look();
    expect(visitor.document.querySelector('.steps .over h3')!.textContent).toContain('Create a key');
    expect(visitor.document.querySelectorAll('.steps .button')).toHaveLength(2);
  });

  it('keeps the steps that are not done after a batch with a test key', async () => {
    const { look, visitor, person } = await start();
    await insertResults(person, 3, 'accepted_email', 1, { mode: 'test', source: 'batch' });
    expect(await look()).toContain('Welcome');
    const done = [...visitor.document.querySelectorAll('.steps .over h3')];
    expect(done.map(({ textContent }) => textContent)).toEqual(['Verify a list done']);
  });

  it('has no steps any more once all are done, or once there are live results', async () => {
    const one = await start();
    await storeKey(db, one.person.id);
    await insertResults(one.person, 3, 'accepted_email', 1, { mode: 'test', source: 'batch' });
    await insertResults(one.person, 3, 'accepted_email', 1, { mode: 'test' });
    expect(await one.look()).not.toContain('Welcome');
    const other = await start();
    await insertResults(other.person, 3, 'accepted_email', 1);
    expect(await other.look()).not.toContain('Welcome');
  });

  it('leads to a snippet only if there is a key that has one', async () => {
    const { look, visitor, person } = await start();
    const second = () => visitor.document.querySelectorAll('.steps li')[1]!;
    const link = () => second().querySelector('a')?.getAttribute('href');
    await look();
    expect([link(), second().textContent]).toEqual([undefined, expect.stringContaining('create one first')]);
    await storeKey(db, person.id, { kind: 'private', trusted_domains: [] });
    await look();
    expect(link()).toBe('/dashboard/keys/new');
    const { id } = await storeKey(db, person.id, { kind: 'public', trusted_domains: ['shop.example'] });
    await look();
    expect(link()).toBe(`/dashboard/keys/${id}/snippet`);
    expect((await visitor.open(link()!)).status).toBe(200);
  });

  it('leaves empty charts out', async () => {
    const { look, visitor, person } = await start();
    const charts = () => [...visitor.document.querySelectorAll('#charts h2')].map((one) => one.textContent);
    await look();
    expect(visitor.document.querySelector('#charts')).toBeNull();
    await insertResults(person, 1, 'accepted_email', 2, { mode: 'test' });
    await look();
    expect(charts()).toEqual(['Results by day']);
    expect(visitor.document.querySelector('#results figcaption')!.textContent).toMatch(/^2 results/);
    await topUp(db, person.id, 10);
    await look();
    expect(charts()).toEqual(['Results by day', 'Credits over time']);
  });

  it('has spent 0 credits, and not -0', async () => {
    const { look } = await start();
    expect(await look()).toContain(' 0 spent and 0 given back');
  });

  it('does not count a key that was revoked', async () => {
    const { look, visitor, person } = await start();
    const { id } = await storeKey(db, person.id);
    await db.updateTable('keys').set({ revoked_at: new Date() }).where('id', '=', id).execute();
    await look();
    expect(visitor.document.querySelectorAll('.steps .over')).toHaveLength(0);
  });
});

describe('figures', () => {
  it('tell the credits, what a week has cost, and what was verified today', async () => {
    const { look, visitor, person } = await start({}, 5_000);
    await spend(person.id, 40);
    await run`select change_credits(${person.id}, 2, 'refund', 'x')`;
    await insertResults(person, 0, 'accepted_email', 1_200);
    await insertResults(person, 0, 'rejected_email', 30, { source: 'batch' });
    await insertResults(person, 0, 'timeout', 7, { mode: 'test' });
    await insertResults(person, 1, 'low_quality', 3);
    const text = await look();
    expect(figuresOf(visitor)).toEqual(['4,962', '1,230', '0']);
    expect(text).toContain('40 spent and 2 given back in 7 days.');
    expect(text).toContain('deliverable 1,200 undeliverable 30');
    expect(text).toContain('7 results of test keys.');
    expect(text).toContain('All is well.');
  });

  it('are of the own account only', async () => {
    const { look, visitor } = await start();
    const other = await makePerson(db, 77);
    await insertResults(other, 0, 'accepted_email', 5);
    await createBatch(db, 3, { accountId: other.id });
    await look();
    expect(figuresOf(visitor)).toEqual(['0', '0', '0']);
  });

  it('renew themselves, more often while a batch runs', async () => {
    const { look, visitor, person } = await start({}, 10);
    const seconds = () => visitor.document.querySelector('#now')!.getAttribute('data-live');
    await look();
    expect(seconds()).toBe('20');
    await createBatch(db, 3, { accountId: person.id });
    await look();
    expect(seconds()).toBe('5');
  });
});

it('shows live results of 30 days in the charts, and others if they are asked for', async () => {
  const { look, visitor, person } = await start();
  await insertResults(person, 0, 'accepted_email', 5);
  await insertResults(person, 20, 'accepted_email', 7);
  await insertResults(person, 2, 'timeout', 3, { mode: 'test' });
  const words = () => visitor.document.querySelector('#results figcaption')!.textContent;
  const now = () =>
    [...visitor.document.querySelectorAll('.switch [aria-current]')].map(({ textContent }) => textContent);
  await look();
  expect(words()).toMatch(/^12 results in 30 days, 100 %/);
  expect(now()).toEqual(['Live keys', '30 days']);
  await look('?days=7');
  expect(words()).toMatch(/^5 results in 7 days/);
  expect(now()).toEqual(['Live keys', '7 days']);
  await look('?results=test&days=7');
  expect(words()).toMatch(/^3 results in 7 days, 0 %/);
  expect(now()).toEqual(['Test keys', '7 days']);
  expect(visitor.links('.switch a')).toContain('/dashboard/?results=live&days=7#charts');
  await look('?results=nonsense&days=1000000');
  expect(now()).toEqual(['Live keys', '30 days']);
});

describe('what needs attention', () => {
  it('names credits that last less than a week', async () => {
    const { look, visitor, person } = await start({}, 100);
    await spend(person.id, 70);
    await look();
    expect(attentionOf(visitor)).toEqual([
      'At this pace, your credits last 3 days. You have used 70 in the last 7 days, and 30 are left. Ask the operator of this service for more.',
    ]);
    await topUp(db, person.id, 1_000);
    expect(await look()).toContain('All is well.');
  });

  it('names credits that are gone, also if none were used lately', async () => {
    const { look, visitor, person } = await start({}, 100);
    await spendLongAgo(person.id, 100);
    await look();
    expect(attentionOf(visitor)[0]).toBe(
      'You have no credits left. Live verifications and batches are refused until credits are added. Ask the operator of this service for more.',
    );
  });

  it('says of credits that are gone that a billing service is asked, if there is one', async () => {
    const { person } = await start({}, 100);
    await spendLongAgo(person.id, 100);
    const billing = { url: 'http://127.0.0.1/', secret: 'whsec_', perDay: 20, publicKeys: false };
    const deps = { ...DEPS, db, live: undefined, settings: settingsWith({ billing }) };
    const [alert] = findAlerts((await readFacts(deps, person.id))!, createSite(undefined));
    const words = alert!.toString().replace(/<[^>]+>/g, '');
    expect(words.trim()).toBe(
      'You have no credits left. If a batch or a request of a private key or an app needs more than you have, this service asks for a payment. Requests of public keys are refused.',
    );
  });

  it('says that a payment is in progress', async () => {
    const { look, visitor, person } = await start();
    const values = { id: `of ${person.id}`, account: person.id, needed: 1, asked_at: new Date(0) };
    await db.insertInto('payments').values(values).execute();
    await look();
    const said = 'A payment is in progress since 1 Jan 1970, 00:00 UTC, because a request needed 1 credit.';
    expect(attentionOf(visitor)[0]).toContain(said);
  });

  it('says when verification is unavailable, and leaves the problems of the server to its operator', async () => {
    const { look, visitor } = await start({ verifier: createScript().verifier, isPortClosed: () => true });
    await look();
    expect(attentionOf(visitor)).toEqual([
      expect.stringContaining('Verification is unavailable at the moment.'),
    ]);
    expect(visitor.text).not.toMatch(/doctor|port 25|operator can solve/i);
  });

  it('shows the lists of the server with their entries and ages', async () => {
    const changedAt = new Date(Date.now() - 50 * 3_600_000);
    const packagedAt = new Date(Date.now() - 10.5 * 86_400_000);
    const { look, visitor } = await start({
      lists: () => [
        { name: 'disposable', packaged: 1234, packagedAt, own: { entries: 56, changedAt } },
        { name: 'role', packaged: 7, packagedAt },
        { name: 'block-mx', packaged: 0 },
      ],
    });
    await look();
    expect(texts(visitor, '#lists tbody tr')).toEqual([
      'Disposable domains1,23410 days ago562 days ago',
      'Role names710 days ago0–',
    ]);
  });

  it('says that live keys do not work on a server that asks no mail servers', async () => {
    const { look, visitor, person } = await start({}, 10);
    await storeKey(db, person.id, { mode: 'test' });
    await look();
    expect(attentionOf(visitor)).toEqual([]);
    await storeKey(db, person.id, { mode: 'live' });
    await look();
    expect(attentionOf(visitor)).toEqual([
      expect.stringContaining('This server does not verify with live keys.'),
    ]);
  });

  it('names the pages and IP addresses that keys were refused from, with a link to the key', async () => {
    const { look, visitor, person } = await start();
    const key = await storeKey(db, person.id, { name: 'Shop <b>' });
    const unnamed = await storeKey(db, person.id);
    const refused = { first: 0, last: 0 };
    await addRefusals(
      db,
      [
        { ...refused, keyId: key.id, reason: 'origin', seenFrom: 'https://evil.example', count: 12 },
        { ...refused, keyId: unnamed.id, reason: 'ip', seenFrom: '::1', count: 1, last: 1000 },
        { ...refused, keyId: key.id, reason: 'captcha', seenFrom: '', count: 2, last: 2000 },
      ],
      3000,
    );
    await look();
    const [captcha, ip, origin] = attentionOf(visitor);
    const said = 'was refused because of the captcha, on a page of an origin that is not known, 2 times';
    expect(captcha).toContain(said);
    expect(ip).toContain(`The private key …${unnamed.last4} was refused from the IP address ::1, once, at`);
    expect(origin).toContain(
      'The key Shop <b> was refused from a page of https://evil.example, 12 times, last at',
    );
    const link = visitor.document.querySelector('.attention li:last-child a')!;
    expect(link.getAttribute('href')).toBe(`/dashboard/keys/${key.id}`);
    await storeKey(db, person.id, { name: 'Shop <b>' });
    await look();
    expect(attentionOf(visitor)[2]).toContain(`The key Shop <b> (…${key.last4}) was refused`);
  });

  it('names callbacks that fail or were given up, and batches that are paused', async () => {
    const { look, visitor, person } = await start({}, 50);
    const complete = async (name: string | null) => {
      const { id } = await createBatch(db, 2, { accountId: person.id, mode: 'test' });
      await run`
        update batches set name = ${name}, url = 'https://hooks.example', completed_at = now(),
          expires_at = now() + interval '1 day', reason_counts = '{}' where id = ${id}
      `;
      return id;
    };
    const [failing, lost] = [await complete('News'), await complete(null)];
    await run`
      insert into callbacks (batch_id, message_id, due_at, is_retry, attempt, tried_at, given_up_at) values
        (${failing}, 'msg_1', now() + interval '1 hour', true, 1, now(), null),
        (${lost}, 'msg_2', null, true, 1, now() - interval '1 hour', now())
    `;
    await run`
      insert into callback_tries (batch_id, number, at, status, error)
      values (${failing}, 1, now(), 500, 'The receiver answered with 500.')
    `;
    const paused = await createBatch(db, 3, { accountId: person.id });
    await db.updateTable('batches').set({ paused_at: new Date() }).where('id', '=', paused.id).execute();
    await look();
    const [first, second, third] = attentionOf(visitor);
    expect(first).toMatch(
      /^The callback of News fails\. The receiver answered with 500\. The next try is at /,
    );
    expect(second).toContain(`The service stopped trying the callback of batch ${lost}. The service ended`);
    expect(second).toContain('Repair the receiver, then send the callback again.');
    expect(third).toContain(`batch ${paused.id} is paused since`);
    const pattern = /It waits until you resume it, until .* at the latest\. Then the service stops it\.$/;
    expect(third).toMatch(pattern);
    expect(figuresOf(visitor)[2]).toBe('1');
  });

  it('names the batches whose pause ends first, however many newer ones are open', async () => {
    const { look, visitor, person } = await start({}, 50);
    const paused: string[] = [];
    for (let days = 29; days > 24; days -= 1) {
      const { id } = await createBatch(db, 1, { accountId: person.id });
      await run`update batches set paused_at = now() - make_interval(days => ${days}) where id = ${id}`;
      paused.push(id);
    }
    for (let newer = 0; newer < 6; newer += 1) await createBatch(db, 1, { accountId: person.id });
    await look();
    const found = attentionOf(visitor).filter((text) => text.includes('paused'));
    expect(found.map((text) => text.split(' since')[0])).toEqual([
      ...paused.slice(0, 3).map((id) => `batch ${id} is paused`),
      '2 more batches are paused, for a shorter time. See all batches.',
    ]);
  });

  it('says when more results are unknown than usual', async () => {
    const { look, visitor, person } = await start();
    await insertResults(person, 0, 'timeout', 60);
    await insertResults(person, 5, 'accepted_email', 600);
    await look();
    const said = '100 % of the results of yesterday and today (UTC) are unknown';
    expect(attentionOf(visitor)[0]).toContain(said);
  });
});

it('shows the progress of open batches, and how many there are', async () => {
  const { look, visitor, person } = await start({}, 500);
  for (let number = 0; number < 7; number += 1) await createBatch(db, 3, { accountId: person.id });
  const { id } = await createBatch(db, 9, { accountId: person.id, mode: 'test' });
  await run`insert into batch_progress values (${id}, 1, 'timeout', 4, 1), (${id}, 2, 'timeout', 2, 0)`;
  await db.updateTable('batches').set({ name: 'News' }).where('id', '=', id).execute();
  const text = await look();
  expect(figuresOf(visitor)[2]).toBe('8');
  expect(visitor.document.querySelectorAll('progress')).toHaveLength(5);
  expect(text).toContain('News 6 of 9, test key');
  const progress = visitor.document.querySelector('progress[aria-label="Progress of News"]')!;
  expect([progress.getAttribute('value'), progress.getAttribute('max')]).toEqual(['6', '9']);
});

it('says that the account is gone if it was deleted a moment ago', async () => {
  const { readFacts } = await import('../../../../src/service/dashboard/overview/overview-facts.ts');
  expect(await readFacts({ db } as Parameters<typeof readFacts>[0], 'gone')).toBeUndefined();
});

describe('the credits of a day of a key', () => {
  const spendToday = (accountId: string, keyId: string, spent: number) =>
    run`
      insert into key_spending values (${keyId}, ${accountId}, (now() at time zone 'UTC')::date, ${spent})
      on conflict (key_id) do update set spent = ${spent}
    `;

  it('are a notice from 80 % on, until the next day', async () => {
    const { look, visitor, person } = await start({}, 1_000);
    const key = { kind: 'public', mode: 'live', name: 'Shop', daily_credits: 10 } as const;
    const { id } = await storeKey(db, person.id, key);
    const notices = async () => {
      await look();
      return attentionOf(visitor).filter((text) => text.includes('The key Shop'));
    };
    await spendToday(person.id, id, 7);
    expect(await notices()).toEqual([]);
    await spendToday(person.id, id, 8);
    expect(await notices()).toEqual([
      expect.stringContaining('The key Shop has spent 8 of its 10 credits of today (UTC).'),
    ]);
    await spendToday(person.id, id, 10);
    expect(await notices()).toEqual([
      expect.stringMatching(/Its requests are refused until \d+ \w+ \d{4}, 00:00 UTC\./),
    ]);
    await run`update key_spending set day = day - 1 where key_id = ${id}`;
    expect(await notices()).toEqual([]);
  });
});

/** The notice URL: set, changed and removed, with the same rules as the URL of a callback. */
import { describe, expect, it } from 'vitest';
import { readNotice } from '../../../../src/service/notices/notice-store.ts';
import { testDatabase } from '../../support/database.ts';
import { PASSWORD } from '../../support/visitor.ts';
import { deedsOf, doneMessage, openSettings, problemOf } from './person.ts';

const { db, run } = await testDatabase();
const URL = 'https://shop.example/low?token=secret';
const SAVE = 'Save the notice URL';
const REMOVE = 'Remove the notice URL';

async function start(options: Parameters<typeof openSettings>[1] = {}) {
  const opened = await openSettings(db, options);
  const { visitor, person } = opened;
  const save = async (notice_url: string) => {
    await visitor.open('/dashboard/settings');
    await visitor.press(SAVE, { notice_url });
    if (visitor.location) await visitor.open(visitor.location.replace('#said', ''));
  };
  const field = () => visitor.document.querySelector('#notice_url')!;
  const typed = () => field().getAttribute('value');
  const state = () => visitor.document.querySelector('#notice-state')?.textContent;
  return { ...opened, save, field, typed, state, notice: () => readNotice(db, person.id) };
}

it('is set, changed and removed, and the audit log has only its host', async () => {
  const { visitor, person, save, typed, state, notice } = await start();
  expect([typed(), state()]).toEqual(['', undefined]);
  await save(` ${URL} `);
  expect(doneMessage(visitor)).toBe('The notice URL was saved.');
  expect([typed(), state()]).toEqual([URL, 'No notice is needed at the moment.']);
  expect(await notice()).toMatchObject({ url: URL });
  await save(URL);
  expect(doneMessage(visitor)).toBe('The notice URL is the same as before.');
  await save('https://other.example:8443/low');
  expect(await notice()).toMatchObject({ url: 'https://other.example:8443/low' });
  await visitor.press(REMOVE);
  await visitor.open('/dashboard/settings?done=notices-removed');
  expect(doneMessage(visitor)).toBe('The notice URL was removed.');
  expect([await notice(), typed()]).toEqual([undefined, '']);
  const changes = await deedsOf(db, person.id);
  expect(changes.map(({ action, details }) => [action, details])).toEqual(
    ['shop.example', 'other.example:8443', null].map((host) => ['settings.notice-url', { host }]),
  );
  await visitor.open('/dashboard/audit');
  for (const words of ['Set the notice URL to one of shop.example', 'Removed the notice URL'])
    expect(visitor.text).toContain(words);
  expect(visitor.text).not.toContain('secret');
});

it.each([
  ['', 'an http or https URL'],
  ['ftp://shop.example/', 'an http or https URL'],
  [`https://shop.example/${'x'.repeat(2_000)}`, 'at most 2000 characters'],
  ['https://ada:pw@shop.example/', 'without a user name'],
  ['http://127.0.0.1/', 'a public IP address'],
  ['http://localhost/', 'a public IP address'],
  ['https://shop.example:25/', 'a port for HTTP'],
])('refuses %j, and keeps what was typed', async (url, expected) => {
  const { visitor, save, field, typed, notice } = await start();
  await save(url);
  expect(visitor.status).toBe(422);
  expect(problemOf(visitor)).toMatch(/^Expected the notice URL to be .*\. It was not changed\.$/);
  expect(problemOf(visitor)).toContain(expected);
  expect([typed(), field().getAttribute('aria-invalid')]).toEqual([url, 'true']);
  expect(await notice()).toBeUndefined();
});

it('takes a private IP address where the operator allows it', async () => {
  const { save, notice } = await start({ callbacks: { allowPrivateAddresses: true } });
  await save('http://127.0.0.1:8009/low');
  expect(await notice()).toMatchObject({ url: 'http://127.0.0.1:8009/low' });
});

it.each([SAVE, REMOVE])('needs the password again: %s', async (button) => {
  const { visitor, save, notice } = await start();
  await save(URL);
  await run`update sessions set authenticated_at = authenticated_at - interval '1 hour'`;
  await visitor.open('/dashboard/settings');
  await visitor.press(button, button === SAVE ? { notice_url: 'https://other.example/' } : {});
  expect(visitor.status).toBe(403);
  expect(visitor.text).toContain('To change the notice URL, type it again.');
  expect(await notice()).toMatchObject({ url: URL });
  await visitor.press('Continue', { confirm_password: PASSWORD });
  expect((await notice())?.url).toBe(button === SAVE ? 'https://other.example/' : undefined);
});

it('says which least number the operator has set', async () => {
  const { visitor } = await start({ lowCredits: 1_500 });
  expect(visitor.text).toContain('or fewer than 1,500');
});

describe('what became of the notice', () => {
  const NO_ERROR = { error: null, process_id: null, due_at: null, delivered_at: null, given_up_at: null };
  const AT = new Date('2026-03-10T12:00:00Z');

  it.each([
    [{ ...NO_ERROR, due_at: AT }, 'The notice of 10 Mar 2026, 12:00 UTC is sent in a moment.'],
    [
      { ...NO_ERROR, due_at: AT, error: 'The receiver answered 500.' },
      'is not delivered yet. The receiver answered 500. The next try is at 10 Mar 2026, 12:00 UTC.',
    ],
    [{ ...NO_ERROR, process_id: '00000000-0000-4000-8000-000000000001' }, 'is being sent.'],
    [{ ...NO_ERROR, delivered_at: AT }, 'was delivered.'],
    [
      { ...NO_ERROR, given_up_at: AT, error: 'The receiver answered 500.' },
      'was not delivered. The receiver answered 500. The service stopped trying.',
    ],
  ])('is said there: %j', async (values, words) => {
    const { visitor, person, save, state } = await start();
    await save(URL);
    const told = { ...values, told_at: AT, message_id: `msg_${person.id}`, available: 1, needed: 2 };
    await db.updateTable('notices').set(told).where('account_id', '=', person.id).execute();
    await visitor.open('/dashboard/settings');
    expect(state()).toContain(words);
  });
});

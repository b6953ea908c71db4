/** Up to 20 pasted addresses at once. */
import { expect, it } from 'vitest';
import { inLong } from '../../../in-long.ts';
import { creditsOf } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { createHeldScript, createScript, startStoredService } from '../../support/stored-service.ts';
import { arrive, makePerson, Visitor } from '../../support/visitor.ts';
import { cellsOf, texts } from '../batches/person.ts';

const { db } = await testDatabase();

const SEVERAL = '/dashboard/verify/several';
const CAPTION = 'In the order in which they were pasted';

async function start(credits = 0, verifier = createScript().verifier) {
  const service = await startStoredService(db, { verifier });
  const { person, visitor } = await arrive(service, db, credits);
  await visitor.open(SEVERAL);
  return { service, person, visitor };
}

it('verifies each pasted address once, at one credit each, and shows all results', async () => {
  const { verifier, asked } = createScript();
  const { person, visitor } = await start(5, verifier);
  await visitor.press('Verify', { 'Email addresses': 'a@x.example, b@x.example\n\nA@x.example;c@x.example' });
  expect(visitor.status).toBe(303);
  await visitor.follow();
  expect(texts(visitor, 'h1')).toEqual(['Results of 3 addresses']);
  expect(cellsOf(visitor, CAPTION).map(([address, state]) => [address, state])).toEqual([
    ['a@x.example', 'deliverable'],
    ['b@x.example', 'deliverable'],
    ['c@x.example', 'deliverable'],
  ]);
  expect([...asked].sort()).toEqual(['a@x.example', 'b@x.example', 'c@x.example']);
  expect(await creditsOf(db, person.id)).toBe(2);
  // Opening a result costs nothing.
  await visitor.openLink('tbody a');
  expect(visitor.text).toContain('This address can receive email');
  expect(await creditsOf(db, person.id)).toBe(2);
});

it('gives sample results for free', async () => {
  const { visitor } = await start();
  await (
    await visitor.press('Verify', { 'Email addresses': 'a@x.example b@x.example', mode: 'test' })
  ).follow();
  expect(cellsOf(visitor, CAPTION)).toHaveLength(2);
  expect(visitor.document.querySelector('[data-live]')).toBeNull();
});

inLong('waits for those that are still running', async () => {
  const { verifier, release } = createHeldScript();
  const { visitor, service } = await start(2, verifier);
  await (await visitor.press('Verify', { 'Email addresses': 'a@x.example b@x.example' })).follow();
  expect(cellsOf(visitor, CAPTION).map(([, state]) => state)).toEqual(['still running', 'still running']);
  expect(visitor.document.querySelector('#several')!.hasAttribute('data-live')).toBe(true);
  release();
  await service.finish();
});

it.each([
  ['nothing', ' \n', /Paste the addresses/],
  [
    'too many',
    Array.from({ length: 21 }, (_, at) => `a${at}@x.example`).join('\n'),
    /at most 20 addresses, got 21/,
  ],
  ['what is not an address', 'a@x.example\nn/a, b@', /line 2 has “n\/a”, line 2 has “b@”/],
])('refuses %s, and keeps what was typed', async (_what, typed, expected) => {
  const { visitor, person } = await start(30);
  await visitor.press('Verify', { 'Email addresses': typed });
  expect([visitor.status, texts(visitor, '#problem')[0]]).toEqual([422, expect.stringMatching(expected)]);
  expect(visitor.valueOf('Email addresses')?.trim()).toBe(typed.trim());
  expect(await creditsOf(db, person.id)).toBe(30);
});

it('names each wrong entry once, so that a small form cannot make a large page', async () => {
  const { visitor } = await start();
  await visitor.press('Verify', { 'Email addresses': 'n/a,N/A;'.repeat(1_000) });
  expect(texts(visitor, '#problem')).toEqual([
    'Nothing was verified, because not all are email addresses: line 1 has “n/a”.',
  ]);
});

it('says how many were not verified when the credits end, and asks for no credit twice', async () => {
  const { visitor, person } = await start(1);
  await visitor.press('Verify', { 'Email addresses': 'a@x.example b@x.example' });
  expect(visitor.status).toBe(402);
  expect(texts(visitor, '#problem')[0]).toMatch(/^1 of 2 addresses were not verified\. .* has no credits/);
  expect(await creditsOf(db, person.id)).toBe(0);
});

it('says where more credits come from', async () => {
  const { verifier } = createScript();
  const service = await startStoredService(db, { verifier, billingPage: 'https://shop.example/{account}' });
  const { person, visitor } = await arrive(service, db, 0);
  await visitor.open(SEVERAL);
  await visitor.press('Verify', { 'Email addresses': 'a@x.example b@x.example' });
  const link = visitor.document.querySelector('#problem a')!;
  expect(link.textContent).toBe('Get more credits');
  expect(link.getAttribute('href')).toBe(`https://shop.example/${person.id}`);
});

it('counts a form as one request, so that a low limit lets all addresses pass', async () => {
  const { visitor, person } = await start(20);
  await db.updateTable('accounts').set({ verify_per_second: 5 }).where('id', '=', person.id).execute();
  const typed = Array.from({ length: 20 }, (_, at) => `a${at}@x.example`).join('\n');
  await visitor.press('Verify', { 'Email addresses': typed });
  expect([visitor.status, await creditsOf(db, person.id)]).toEqual([303, 0]);
});

it('says which results are not kept any more, and which test address never has one', async () => {
  const { visitor } = await start(2);
  await visitor.press('Verify', { 'Email addresses': 'a@x.example b@x.example' });
  const { location } = visitor;
  await db.deleteFrom('verifications').execute();
  await visitor.open(location!);
  expect(cellsOf(visitor, CAPTION).map(([, state]) => state)).toEqual(['no longer kept', 'no longer kept']);
  await visitor.open(SEVERAL);
  const typed = 'slow@example.com ada@gmial.com';
  await (
    await visitor.press('Verify', { 'Email addresses': typed, mode: 'test', accept_all: 'true' })
  ).follow();
  const [slow, typo] = cellsOf(visitor, CAPTION);
  expect([slow![1], typo![4]]).toEqual(['no result', 'ada@gmail.com']);
});

it('keeps what was chosen when no address was verified', async () => {
  const { visitor } = await start(0);
  const typed = 'a@x.example b@x.example';
  await visitor.press('Verify', { 'Email addresses': typed, mode: 'live', accept_all: 'true' });
  expect([visitor.status, texts(visitor, '#problem')[0]]).toEqual([402, expect.stringMatching(/^\S/)]);
  expect(texts(visitor, '#problem')[0]).not.toContain('were not verified');
  expect(visitor.formOf('Verify').sent).toMatchObject({ mode: 'live', accept_all: 'true' });
});

it('offers samples alone where nothing is verified live', async () => {
  const service = await startStoredService(db);
  const visitor = await new Visitor(service.app).signIn(await makePerson(db, 1));
  await visitor.open(SEVERAL);
  expect(visitor.text).toContain('no live verification');
  expect(visitor.formOf('Verify').sent).toMatchObject({ mode: 'test' });
});

it('shows the form for a URL of another browser, or of a single result', async () => {
  const { visitor } = await start();
  await visitor.open(`${SEVERAL}/results?of=nonsense`);
  expect(visitor.location).toBe(SEVERAL);
  expect((await visitor.open(`${SEVERAL}/results`)).location).toBe(SEVERAL);
  await visitor.open('/dashboard/verify');
  await visitor.press('Verify', { 'Email address': 'a@x.example', mode: 'test' });
  const single = visitor.location!;
  expect((await visitor.open(single.replace('/result?', '/several/results?'))).location).toBe(SEVERAL);
});

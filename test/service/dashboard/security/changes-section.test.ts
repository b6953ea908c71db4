/** What people are told at the next sign-in. */
import { expect, it } from 'vitest';
import {
  forgetPersonEvents,
  insertPersonEvent,
  listPersonEvents,
} from '../../../../src/service/people/persons/person-event-store.ts';
import { PERSON_EVENTS, recordPersonEvent } from '../../../../src/service/people/persons/person-events.ts';
import { testDatabase } from '../../support/database.ts';
import type { Visitor } from '../../support/visitor.ts';
import { openSecurity } from '../settings/person.ts';

const { db, run } = await testDatabase();

const news = ({ document }: Visitor) =>
  [...document.querySelectorAll('#news li')].map(({ textContent }) => textContent!.replace(/^.*UTC: /, ''));

it('shows what has changed since the last sign-in, on every page, until it is dismissed', async () => {
  const { visitor, person, signIn } = await openSecurity(db);
  const { personId } = person;
  const by = { kind: 'operator' } as const;
  await recordPersonEvent(db, { personId, event: 'factors.reset', by });
  const member = { kind: 'owner', name: 'boss@example.com' } as const;
  await recordPersonEvent(db, { personId, event: 'member.role', by: member, subject: 'shop@example.com' });
  await visitor.open('/dashboard/');
  expect(news(visitor)).toEqual([]);
  const later = await signIn();
  const shown = [
    'Your role in shop@example.com was changed. boss@example.com did it.',
    expect.stringMatching(/^The second factor was reset: .* The operator of this service did it.$/),
  ];
  for (const page of ['/dashboard/', '/dashboard/keys', '/dashboard/security'])
    expect(news(await later.open(page))).toEqual(shown);
  expect((await later.press('Dismiss')).location).toBe('/dashboard/security?done=dismissed#said');
  await later.follow();
  expect(news(later)).toEqual([]);
  expect(later.text).toContain('Your role in shop@example.com was changed.');
  expect(news(await (await signIn()).open('/dashboard/'))).toEqual([]);
});

it('dismisses only what was shown', async () => {
  const { person, signIn } = await openSecurity(db);
  const tell = (event: 'app.added' | 'app.removed') =>
    recordPersonEvent(db, { personId: person.personId, event, by: { kind: 'operator' } });
  await tell('app.added');
  const visitor = await signIn();
  await visitor.open('/dashboard/');
  await tell('app.removed');
  await visitor.press('Dismiss');
  const later = await signIn();
  expect(news(await later.open('/dashboard/'))).toEqual([expect.stringContaining('was removed')]);
});

it('shows ten changes at most, and leads to all', async () => {
  const { person, signIn } = await openSecurity(db);
  for (let count = 0; count < 11; count += 1)
    await recordPersonEvent(db, { personId: person.personId, event: 'code.used', by: { kind: 'operator' } });
  const visitor = await signIn();
  await visitor.open('/dashboard/');
  expect(news(visitor)).toHaveLength(10);
  expect(visitor.text).toContain('There was more.');
});

it('shows names from outside as text, and events of a later version by their name', async () => {
  const { person, signIn } = await openSecurity(db);
  const { personId } = person;
  const by = { kind: 'owner', name: '<b>@</b>' } as const;
  await recordPersonEvent(db, { personId, event: 'passkey.added', by, subject: '<i>my @ key</i>' });
  const stored = { subject: null, actorKind: 'service', actorName: null };
  await insertPersonEvent(db, { personId, event: 'something.new', ...stored });
  const visitor = await signIn();
  await visitor.open('/dashboard/');
  expect(visitor.document.querySelector('#news li b, #news li i')).toBeNull();
  expect(news(visitor)).toEqual([
    'something.new ',
    'The passkey “<i>my @ key</i>” was added. <b>@</b> did it.',
  ]);
});

it('has a sentence for each event, with one place for its subject at most', () => {
  for (const sentence of Object.values(PERSON_EVENTS)) {
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(sentence.split('@').length).toBeLessThanOrEqual(2);
  }
});

it('keeps a limited number for a limited time, and none of a person who does not exist', async () => {
  const { person } = await openSecurity(db);
  const event = { event: 'code.used', subject: 'x'.repeat(500), actorKind: 'operator', actorName: null };
  await insertPersonEvent(db, { personId: 'per_nobody', ...event });
  for (let count = 0; count < 1_001; count += 1)
    await insertPersonEvent(db, { personId: person.personId, ...event });
  expect(await listPersonEvents(db, person.personId, 2_000)).toHaveLength(1_000);
  expect((await listPersonEvents(db, person.personId, 1))[0]!.subject).toHaveLength(400);
  expect(await forgetPersonEvents(db, 3_600)).toBe(false);
  expect(await listPersonEvents(db, person.personId, 2_000)).toHaveLength(1_000);
  await run`update person_events set created_at = to_timestamp(0)`;
  await forgetPersonEvents(db, 3_600);
  expect(await listPersonEvents(db, person.personId, 2_000)).toEqual([]);
});

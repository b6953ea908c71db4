/** No value of a field, however long and whatever it repeats, occupies the process or becomes a 5xx. */
import { describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES, MAX_HEAD_BYTES } from '../../../src/service/core/bounds.ts';
import { makeKey } from '../../../src/service/keys/manage/manage-keys.ts';
import { setMember } from '../../../src/service/people/members/member-store.ts';
import { STEP_CHARACTERS } from '../../../src/shared/steps.ts';
import { openWorld as openOAuth } from '../oauth/world.ts';
import { testDatabase } from '../support/database.ts';
import { addPasskey, forgetConfirmations, setUpApp } from '../support/factors.ts';
import { arrive, makeMember, makePerson, Visitor } from '../support/visitor.ts';
import { countWork } from '../support/work-per-turn.ts';

const { db } = await testDatabase();

/** What the readers of fields look for: separators, parts of addresses, hosts and URLs, and what grows when it is mapped. */
const TEXTS = [
  ...['a', '.', '@', ',', '\n', ' ', ':', '/', '[', '%', '\\', '"', '-', 'a.', 'a@b.c,', 'http://'],
  ...['xn--', '1.', 'é.', '漢', 'ﷺ', '\u0301', '\u200b', '\0', '\ud800'],
];

/** A person with a key of each kind, an app and a list, and the pages that have forms for them. */
async function open() {
  const world = await openOAuth(db);
  const { person, visitor } = await arrive(world, db, 100);
  const keys: string[] = [];
  for (const kind of ['public', 'private'] as const) {
    const trusted_domains = kind === 'public' ? ['shop.example'] : [];
    const row = { account_id: person.id, name: kind, kind, mode: 'test', trusted_domains } as const;
    const key = await makeKey(db, { kind: 'owner', name: person.email }, row);
    if (key !== 'exists') keys.push(`/dashboard/keys/${key.id}`);
  }
  await world.makeApp({ accountId: person.id, name: 'Newsletter' });
  await visitor.open('/dashboard/apps');
  const [app] = visitor.links('a[href^="/dashboard/apps/"]:not([href$="/new"])');
  await visitor.open('/dashboard/batches/new');
  const bytes = Buffer.from('email,name\nada@b.example,Ad\xe4\n', 'latin1');
  await visitor.upload('Upload', { name: 'a.csv', bytes });
  return {
    visitor,
    pages: [
      ...['/dashboard/verify', '/dashboard/verify/several', '/dashboard/keys/new', ...keys],
      ...['/dashboard/apps/new', app!, '/dashboard/batches/new', visitor.location!],
      ...['/dashboard/settings', '/oauth/device'],
      ...['/dashboard/security', '/dashboard/security/since'],
      ...['/dashboard/audit', '/dashboard/usage', '/dashboard/batches'],
    ],
  };
}

/** The fields of a form and their values, without those that prove who sends it. */
function fieldsOf(form: { querySelectorAll(selector: string): Iterable<unknown> }): Map<string, string> {
  const fields = new Map<string, string>();
  for (const field of form.querySelectorAll('input, select, textarea, button[name]')) {
    const { name, value, type, checked } = field as HTMLInputElement;
    if (name && type !== 'file' && (checked || !/^(checkbox|radio)$/.test(type))) fields.set(name, value);
  }
  return fields;
}

/** As forms send it: half of a pair of surrogates becomes U+FFFD. */
const encodedLength = (text: string) => `${new URLSearchParams([['', text]])}`.length - 1;

/** Sends every text in every field of every form of the pages. @returns the fields */
async function tryForms(visitor: Visitor, pages: readonly string[]): Promise<string[]> {
  const tried = new Set<string>();
  for (const page of pages) {
    await visitor.open(page);
    expect([page, visitor.status]).toEqual([page, 200]);
    for (const form of visitor.document.querySelectorAll('form:not([action="/logout"])')) {
      const action = form.getAttribute('action') || page;
      const isGet = form.getAttribute('method') !== 'post';
      const isMultipart = form.getAttribute('enctype') === 'multipart/form-data';
      const fields = fieldsOf(form);
      for (const name of [...fields.keys()].filter((each) => !/token/.test(each))) {
        for (const text of TEXTS) {
          const most = (isGet ? MAX_HEAD_BYTES : MAX_BODY_BYTES) - 4_096;
          const length = isMultipart ? Buffer.byteLength(text) : encodedLength(text);
          const sent = new Map(fields).set(name, text.repeat(most / length));
          const work = await countWork(async () => {
            if (isGet) await visitor.open(`${action.replace(/\?.*/s, '')}?${new URLSearchParams([...sent])}`);
            else if (isMultipart) await visitor.postParts(action, [...sent]);
            else await visitor.post(action, Object.fromEntries(sent));
          });
          const what = `${JSON.stringify(text)} as ${name} of ${action}`;
          // In these tests, lists are read here and not in a thread of their own.
          if (name !== 'pasted')
            expect.soft(work.most, `the work of ${what}`).toBeLessThan(6 * STEP_CHARACTERS);
          expect.soft(visitor.status, what).toBeLessThan(500);
          tried.add(`${name} of ${action.replace(/[0-9a-f]{24,32}/, ':id').replace(/[\w-]{43}/, ':token')}`);
        }
      }
    }
  }
  return [...tried];
}

it('takes at most one step of work in a turn for each field of each form of a signed-in person', async () => {
  const { visitor, pages } = await open();
  expect(await tryForms(visitor, pages)).toEqual(
    expect.arrayContaining([
      ...['trusted_domains of /dashboard/keys/new', 'redirect_uris of /dashboard/apps/new'],
      ...['pasted of /dashboard/lists', 'user_code of /oauth/device'],
      'encoding of /dashboard/lists/:id/encoding',
    ]),
  );
}, 900_000);

describe('of people', () => {
  /** An owner with each factor, in several browsers, with a member and an invitation. */
  async function openPeople() {
    const { app } = await openOAuth(db);
    const owner = await makePerson(db);
    await makeMember(db, owner.id, 'viewer');
    const another = await new Visitor(app).signIn(owner);
    await (await another.open('/dashboard/')).press('Sign out');
    await new Visitor(app).signIn(owner);
    const visitor = await new Visitor(app).signIn(owner);
    await visitor.open('/dashboard/members');
    await visitor.press('Invite', { Email: 'invited@example.org' });
    const link = visitor.document.querySelector('#invitation-link')!.textContent!;
    await visitor.open('/dashboard/members');
    await addPasskey(visitor, 'Laptop');
    const codes = await setUpApp(db, visitor, owner.personId);
    return { app, owner, visitor, invitation: new URL(link).pathname, codes };
  }

  it('is the same for members, invitations, factors, sessions, browsers and the own address', async () => {
    const { owner, visitor } = await openPeople();
    await setMember(db, (await makePerson(db)).id, owner.personId, 'viewer');
    const tried = await tryForms(visitor, [
      ...['/dashboard/members', '/dashboard/security', '/dashboard/security/totp', '/dashboard/account'],
      '/dashboard/settings/address',
    ]);
    expect(tried).toEqual(
      expect.arrayContaining([
        ...['id', 'email', 'role'].map((name) => `${name} of /dashboard/members/invite`),
        ...['person of /dashboard/members/end', 'person of /dashboard/members/role'],
        ...['role of /dashboard/members/role', 'invitation of /dashboard/members/withdraw'],
        ...['name of /dashboard/security/passkeys', 'passkey of /dashboard/security/passkeys'],
        ...['id', 'name'].map((name) => `${name} of /dashboard/security/passkeys/rename`),
        ...['id of /dashboard/security/passkeys/remove', 'code of /dashboard/security/totp'],
        ...['address', 'address_again'].map((name) => `${name} of /dashboard/security/address`),
        ...['session of /dashboard/security/sessions/end', 'browser of /dashboard/security/browsers/end'],
        'account of /dashboard/account',
      ]),
    );
  }, 900_000);

  it('is the same where people confirm who they are', async () => {
    const { visitor } = await openPeople();
    await forgetConfirmations(db);
    expect(await tryForms(visitor, ['/dashboard/security/totp'])).toEqual(
      expect.arrayContaining(
        ['code', 'recovery_code', 'passkey'].map((name) => `confirm_${name} of /dashboard/security/totp`),
      ),
    );
  }, 900_000);

  it('is the same where people come in', async () => {
    const { app, owner, invitation } = await openPeople();
    const half = await new Visitor(app).signIn(owner);
    expect([
      ...(await tryForms(new Visitor(app), [invitation])),
      ...(await tryForms(half, ['/login'])),
      ...(await tryForms(new Visitor(app), ['/login?return_to=%2Fdashboard%2Fkeys'])),
    ]).toEqual(
      expect.arrayContaining([
        ...['email of /login', 'password of /login', 'return_to of /login', 'passkey of /login/passkey'],
        ...['code', 'recovery_code', 'passkey'].map((name) => `confirm_${name} of /login/second-step`),
        'password of /invitation/:token',
      ]),
    );
  }, 900_000);
});

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  type AuditAction,
  type AuditEntry,
  MOST_CHANGES_OF_DAY,
  MOST_OF_KIND,
  MOST_OF_PERSON,
  readAudit,
  recordAuditEvent,
} from '../../../src/service/audit/audit-store.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';

const { db, run } = await testDatabase();

it('merges the events of several kinds on pages, latest first', async () => {
  const accountId = await makeAccount(db);
  const actions = ['key.create', 'app.create', 'settings.password', 'key.roll', 'address.erase'] as const;
  for (const action of [...actions, ...actions, ...actions])
    await recordAuditEvent(db, { accountId, actor: { kind: 'operator' }, action });
  const found: AuditEntry[] = [];
  for (;;) {
    const page = await readAudit(db, accountId, {
      ...{ kinds: ['key', 'settings', 'account'], limit: 4, before: found.at(-1)?.id },
    });
    found.push(...page);
    if (page.length < 4) break;
  }
  const kept = actions.filter((action) => action !== 'app.create' && action !== 'address.erase').reverse();
  expect(found.map(({ action }) => action)).toEqual([...kept, ...kept, ...kept]);
  expect(await readAudit(db, accountId, { limit: 100 })).toHaveLength(15);
});

it('cuts long details, of which a program could fill the disk', async () => {
  const accountId = await makeAccount(db);
  const uris = Array.from({ length: 50 }, (_, at) => `https://${at}.example/${'x'.repeat(1_900)}`).join(' ');
  const named = { name: 'Newsletter', device: true };
  await recordAuditEvent(db, {
    ...{ accountId, actor: { kind: 'owner', name: 'ada@example.com' }, action: 'app.change' },
    details: { ...named, redirect_uris_added: uris, half: `${'x'.repeat(999)}\u{1f600}` },
  });
  const [entry] = await readAudit(db, accountId, { limit: 1 });
  expect(entry!.details).toEqual({
    ...named,
    redirect_uris_added: `${uris.slice(0, 1_000)}…`,
    half: `${'x'.repeat(999)}…`,
  });
});

describe('an owner who makes changes again and again, with a program', () => {
  const ADA = 'ada@example.com';

  async function open() {
    const accountId = await makeAccount(db);
    /** Rows of today, before the last hour. */
    const fill = (action: AuditAction, count: number, subject_id: string | null = null, actor_name = ADA) => {
      const at = sql<Date>`now() - interval '2 hours'`;
      const row = { account_id: accountId, at, actor: 'owner', actor_name, action, subject_id } as const;
      return db.insertInto('audit').values(Array(count).fill(row)).execute();
    };
    const record = (action: AuditAction, id?: string, name = ADA) =>
      recordAuditEvent(db, {
        ...{ accountId, actor: { kind: 'owner', name }, action },
        ...(id !== undefined && { subject: { id } }),
      });
    const nextDay = () => run`update audit set at = at - interval '1 day' where account_id = ${accountId}`;
    return { accountId, fill, record, nextDay };
  }
  const tooMany = (sentence: RegExp) => ({
    code: 'tooManyChanges',
    message: expect.stringMatching(sentence),
  });

  it('is refused after 3,000 in a day, but not what stops something', async () => {
    const { accountId, fill, record, nextDay } = await open();
    await fill('app.deny', MOST_CHANGES_OF_DAY - 1);
    await record('key.change');
    await expect(record('key.change')).rejects.toMatchObject(tooMany(/made 3,000 changes within 24 hours/));
    for (const action of ['key.revoke', 'batch.pause', 'settings.sessions'] as const) await record(action);
    await recordAuditEvent(db, { accountId, actor: { kind: 'operator' }, action: 'key.change' });
    await nextDay();
    await record('key.change');
  });

  it.each(['app.create', 'key.create', 'key.roll', 'member.invite'] as const)(
    'is refused after 200 of %s in a day, which leave more than their row',
    async (action) => {
      const { accountId, fill, record, nextDay } = await open();
      await fill(action, MOST_OF_KIND - 1);
      await record(action);
      await expect(record(action)).rejects.toMatchObject(
        tooMany(/made 200 changes of this kind within 24 hours/),
      );
      await record('key.change');
      await recordAuditEvent(db, { accountId, actor: { kind: 'operator' }, action });
      await nextDay();
      await record(action);
    },
  );

  it('is refused after 100 changes of the own sign-in in a day, which hold up nobody else of the account', async () => {
    const { fill, record, nextDay } = await open();
    await fill('settings.password', MOST_OF_PERSON - 1);
    await record('settings.password');
    await expect(record('settings.password')).rejects.toMatchObject(
      tooMany(
        /^You have made 100 changes of this kind within 24 hours, so this one was not made. Try again when the first of them is 24 hours old.$/,
      ),
    );
    await record('settings.password', undefined, 'grace@example.com');
    // The name of the actor is the address that changes.
    await fill('person.address', MOST_OF_PERSON, 'per_ada', 'Ada@example.com');
    await expect(record('person.address', 'per_ada')).rejects.toMatchObject(tooMany(/^You have made 100/));
    await record('person.address', 'per_grace');
    await nextDay();
    await record('settings.password');
    await record('person.address', 'per_ada');
  });

  it.each(['settings.sessions', 'settings.callback-secret'] as const)(
    'is never refused %s, but leaves no row after 100 in a day',
    async (action) => {
      const { accountId, fill, record, nextDay } = await open();
      const rows = async () => {
        const kept = db.selectFrom('audit').select(({ fn }) => fn.countAll<string>().as('count'));
        return Number((await kept.where('account_id', '=', accountId).executeTakeFirstOrThrow()).count);
      };
      await fill('app.deny', MOST_CHANGES_OF_DAY);
      await fill(action, MOST_OF_PERSON - 1);
      const filled = await rows();
      await record(action);
      await record(action);
      expect(await rows()).toBe(filled + 1);
      await record(action, undefined, 'grace@example.com');
      expect(await rows()).toBe(filled + 2);
      await nextDay();
      await record(action);
      expect(await rows()).toBe(filled + 3);
    },
  );
});

import { expect, it } from 'vitest';
import {
  type AuditAction,
  type AuditEntry,
  readAudit,
  recordAuditEvent,
} from '../../../src/service/audit/audit-store.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';

const { db } = await testDatabase();

it('merges the events of several kinds on pages, latest first', async () => {
  const accountId = await makeAccount(db);
  const actions: AuditAction[] = [
    'key.create',
    'app.create',
    'settings.password',
    'key.roll',
    'address.erase',
  ];
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
  await recordAuditEvent(db, {
    ...{ accountId, actor: { kind: 'owner', name: 'ada@example.com' }, action: 'app.change' },
    details: {
      name: 'Newsletter',
      device: true,
      redirect_uris_added: uris,
      half: `${'x'.repeat(999)}\u{1f600}`,
    },
  });
  const [entry] = await readAudit(db, accountId, { limit: 1 });
  expect(entry!.details).toEqual({
    ...{ name: 'Newsletter', device: true },
    redirect_uris_added: `${uris.slice(0, 1_000)}…`,
    half: `${'x'.repeat(999)}…`,
  });
});

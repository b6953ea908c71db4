/** What is written into the audit log when batches are made, changed and deleted. */

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/service/audit/audit-store.ts';
import { createBatch as create } from '../../../../src/service/batch/create-batch.ts';
import { entriesOf } from '../../../../src/service/batch/entries/collected-entries.ts';
import {
  deleteBatch,
  pauseBatch,
  resumeBatch,
  sendCallbackAgain,
} from '../../../../src/service/batch/manage/manage-batches.ts';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { makeAccount } from '../../support/account.ts';
import { auditOf } from '../../support/audit.ts';
import { createBatch } from '../../support/batch.ts';
import { completeWithCallback } from '../../support/callbacks.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { makeCustomer, startStoredService, storeKey } from '../../support/stored-service.ts';
import { expire } from '../results/results.ts';

const { db, connect } = await testDatabase();

const OWNER: Actor = { kind: 'owner', name: 'ada@example.com' };
/** The latest first. */
const logOf = async (accountId: string) =>
  (await auditOf(db, accountId, 'action', 'actor', 'actor_name', 'subject_id', 'details')).reverse();
const actionsOf = async (accountId: string) => (await logOf(accountId)).map(({ action }) => action);

describe('a change by the owner', () => {
  it('is in the log with the batch', async () => {
    const { id, accountId } = await createBatch(db, 3);
    const named = { id, accountId, actor: OWNER };
    await pauseBatch(db, named);
    await resumeBatch(db, named);
    await deleteBatch(db, named, { refundUnknown: true });
    const by = { actor: 'owner', actor_name: 'ada@example.com', subject_id: id };
    expect(await logOf(accountId)).toEqual([
      { ...by, action: 'batch.delete', details: { refunded: 3 } },
      { ...by, action: 'batch.resume', details: {} },
      { ...by, action: 'batch.pause', details: {} },
    ]);
  });

  it('is not in the log if nothing was changed', async () => {
    const { id, accountId } = await createBatch(db, 3);
    await resumeBatch(db, { id, accountId, actor: OWNER });
    await pauseBatch(db, { id, accountId: 'acc_other', actor: OWNER });
    await deleteBatch(db, { id, accountId: 'acc_other', actor: OWNER }, { refundUnknown: true });
    await sendCallbackAgain(db, { id, accountId, actor: OWNER });
    expect(await logOf(accountId)).toEqual([]);
  });
});

it("names the operator if nobody else is named, in the log of the batch's account", async () => {
  const { id, accountId } = await createBatch(db, 1);
  await pauseBatch(db, { id });
  expect(await logOf(accountId)).toMatchObject([
    { action: 'batch.pause', actor: 'operator', actor_name: 'admin command' },
  ]);
});

it('makes no deadlock with the deletion of the account, whichever comes first', async () => {
  const pools = [connect(6), connect(6)];
  for (let round = 0; round < 15; round += 1) {
    const batch = await completeWithCallback(db, 'https://x.example/');
    const { id: open } = await createBatch(db, 1, { accountId: batch.accountId, mode: 'test' });
    const { accountId } = batch;
    await Promise.all([
      pauseBatch(pools[0]!, { id: open, accountId }),
      resumeBatch(pools[1]!, { id: open, accountId }),
      sendCallbackAgain(pools[0]!, { id: batch.id, accountId }),
      deleteAccount(pools[1]!, accountId),
      pauseBatch(pools[1]!, { id: open, accountId }),
      sendCallbackAgain(pools[1]!, { id: batch.id, accountId }),
      deleteBatch(pools[0]!, { id: open, accountId }, { refundUnknown: true }),
    ]);
  }
});

describe('sending a callback again', () => {
  it('is in the log, and the callback is due', async () => {
    const { id, accountId, read } = await completeWithCallback(db, 'https://x.example/');
    await sql`
      update callbacks set due_at = null, delivered_at = now(), attempt = 1, tried_at = now() where batch_id = ${id}
    `.execute(db);
    expect((await read()).state).toBe('delivered');
    expect(await sendCallbackAgain(db, { id, accountId, actor: OWNER })).toBe('due');
    expect([(await read()).state, await actionsOf(accountId)]).toEqual(['waiting', ['callback.send-again']]);
  });

  it('changes nothing for another account, and once the results are gone', async () => {
    const { id, accountId } = await completeWithCallback(db, 'https://x.example/');
    const other = await makeAccount(db);
    expect(await sendCallbackAgain(db, { id, accountId: other, actor: OWNER })).toBe('no such batch');
    await expire(db, id);
    expect(await sendCallbackAgain(db, { id, accountId, actor: OWNER })).toBe('expired');
    expect([...(await logOf(accountId)), ...(await logOf(other))]).toEqual([]);
  });
});

describe('a batch of the API', () => {
  it('is in the log with the key that made it, by its name or its last characters', async () => {
    const { ask } = await startStoredService(db);
    const accountId = await makeAccount(db);
    const named = await storeKey(db, accountId, { name: 'Newsletter' });
    const nameless = await storeKey(db, accountId);
    const ids: string[] = [];
    for (const { key } of [named, nameless]) {
      const payload = { api_key: key, emails: 'a@x.example,a@x.example' };
      const response = await ask({ method: 'POST', url: '/v1/batch', payload });
      ids.unshift(response.json<{ id: string }>().id);
    }
    const details = { mode: 'test', entries: 2 };
    const names = [`Key that ends in ${nameless.last4}`, 'Newsletter'];
    const entries = names.map((actor_name, index) => ({ actor_name, subject_id: ids[index] }));
    expect(await logOf(accountId)).toEqual(
      entries.map((entry) => ({ ...entry, action: 'batch.create', actor: 'key', details })),
    );
    expect((await auditOf(db, accountId, 'actor_id'))[0]!.actor_id).toBe(named.id);
  });

  it('is written once however often the same request is sent', async () => {
    const { ask } = await startStoredService(db);
    const { accountId, key } = await makeCustomer(db);
    const headers = { 'idempotency-key': 'one' };
    const payload = { api_key: key, emails: 'a@x.example' };
    for (let round = 0; round < 3; round += 1)
      await ask({ method: 'POST', url: '/v1/batch', headers, payload });
    expect(await actionsOf(accountId)).toEqual(['batch.create']);
  });

  it('is not made if what is written alongside fails', async () => {
    const accountId = await makeAccount(db, 5);
    const request = {
      ...({ accountId, mode: 'live', total: 1, responseFields: null, retries: true, url: null } as const),
      entries: entriesOf([{ address: 'a@x.example', duplicates: 0 }]),
      alongside: async () => {
        throw new Error('not written');
      },
    };
    await expect(create({ ...DEPS, db, processId: 'p' }, request)).rejects.toThrow('not written');
    const batches = await db.selectFrom('batches').select('id').where('account_id', '=', accountId).execute();
    expect(batches).toEqual([]);
  });
});

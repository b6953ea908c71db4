/** Sets and removes the notice URL of an account, with its audit event. */
import { type Actor, recordAuditEvent } from '../audit/audit-store.ts';
import type { Db } from '../database/schema.ts';
import { holdAccount } from '../people/accounts/account-store.ts';
import { readNotice, removeNoticeUrl, setNoticeUrl } from './notice-store.ts';

/** @param url undefined removes it @returns whether it has changed */
export async function changeNoticeUrl(
  db: Db,
  { accountId, actor, url }: { readonly accountId: string; readonly actor: Actor; readonly url?: string },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if ((await holdAccount(transaction, accountId)) === undefined) return false;
    if ((await readNotice(transaction, accountId))?.url === url) return false;
    if (url === undefined) await removeNoticeUrl(transaction, accountId);
    else await setNoticeUrl(transaction, accountId, url);
    await recordAuditEvent(transaction, {
      ...{ accountId, actor, action: 'settings.notice-url' },
      // The rest of the URL may contain a secret of the owner.
      details: { host: url === undefined ? null : new URL(url).host },
    });
    return true;
  });
}

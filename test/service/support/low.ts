/** Accounts whose credits run low, and their notices. */
import { sql } from 'kysely';
import { vi } from 'vitest';
import type { LowRules } from '../../../src/service/credits/low/running-low.ts';
import type { Db, LedgerReason } from '../../../src/service/database/schema.ts';
import { lookAtCredits } from '../../../src/service/notices/look-at-credits.ts';
import { NOTICES } from '../../../src/service/notices/notice-queue.ts';
import { type Notice, readNotice, setNoticeUrl } from '../../../src/service/notices/notice-store.ts';
import { makeAccount } from './account.ts';
import { sendWebhooks } from './callbacks.ts';
import { type Changes, settingsWith } from './deps.ts';
import { PATIENTLY } from './patience.ts';

/** No least number. */
export const BY_PACE: LowRules = { lowCredits: undefined };

let changes = 0;

/** Changes the credits like a batch. */
export async function change(db: Db, accountId: string, amount: number, why: LedgerReason = 'batch') {
  changes += 1;
  await sql`select change_credits(${accountId}, ${amount}, ${why}, ${`change ${changes}`})`.execute(db);
}

/** An account that has used 70 credits today, so its credits run low below 30. */
export async function makeUser(db: Db, available: number): Promise<string> {
  const accountId = await makeAccount(db, 70 + available);
  await change(db, accountId, -70);
  return accountId;
}

/** Makes all looks that are due. @returns how many */
export async function lookAtAll(db: Db, rules: LowRules = BY_PACE): Promise<number> {
  for (let looks = 0; ; looks += 1) if (!(await lookAtCredits(db, rules))) return looks;
}

/** An account with this notice URL whose credits run low, which was noticed. */
export async function makeTold(db: Db, url: string): Promise<string> {
  const accountId = await makeUser(db, 20);
  await setNoticeUrl(db, accountId, url);
  await lookAtAll(db);
  return accountId;
}

export const untilNotice = (db: Db, accountId: string, state: Notice['state']): Promise<Notice> =>
  vi.waitFor(async () => {
    const notice = await readNotice(db, accountId);
    if (notice?.state !== state) throw new Error(`Expected ${state}, got ${JSON.stringify(notice)}`);
    return notice;
  }, PATIENTLY);

/** A worker like that of a process. It ends with the test. */
export const sendNotices = (db: Db, more: Pick<Changes, 'callbacks' | 'durations'> = {}) =>
  sendWebhooks(db, NOTICES, {
    settings: settingsWith({ callbacks: { allowPrivateAddresses: true }, ...more }),
  });

/** The account of a key, or of an access token. */
import type { AccountOfKey } from './key.ts';

/** An account's stored id and limits. */
export interface StoredAccount {
  readonly id: string;
  readonly verify_per_second: number | null;
  readonly batch_per_second: number | null;
  readonly account_per_second: number | null;
  readonly batch_size: number | null;
}

export function accountOfKey(account: StoredAccount): AccountOfKey {
  return {
    id: account.id,
    verifyPerSecond: account.verify_per_second ?? undefined,
    batchPerSecond: account.batch_per_second ?? undefined,
    accountPerSecond: account.account_per_second ?? undefined,
    batchSize: account.batch_size ?? undefined,
  };
}

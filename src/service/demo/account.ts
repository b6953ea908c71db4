/** The demo's account: made once, with a new password and the ready keys at every start, and a new live key. */
import { randomBytes } from 'node:crypto';
import { normaliseHost } from '../../network/host-name.ts';
import { hashPassword } from '../accounts/password.ts';
import { createAccount, findAccountByEmail, setPasswordHash } from '../accounts/store.ts';
import type { Db } from '../database/schema.ts';
import { createKey, importKey, listKeys, revokeKey } from '../keys/store.ts';
import { DEMO_KEYS } from './keys.ts';

export const DEMO_EMAIL = 'demo@example.com';
const DEMO_CREDITS = 10_000;
const LIVE_KEY_NAME = 'demo, live';

export interface DemoAccount {
  readonly email: string;
  /** Shown once, in the terminal. */
  readonly password: string;
  /** A private key, shown once. Absent when no mail servers are asked. */
  readonly liveKey: string | undefined;
}

/**
 * Only this start's password and live key work: the ones before stop.
 *
 * @param isLive whether live keys are answered
 */
export async function prepareDemoAccount(db: Db, isLive: boolean): Promise<DemoAccount> {
  const password = randomBytes(9).toString('base64url');
  const passwordHash = await hashPassword(password);
  await createAccount(db, { email: DEMO_EMAIL, passwordHash, credits: DEMO_CREDITS });
  const account = await findAccountByEmail(db, DEMO_EMAIL);
  if (!account) throw new Error('the demo account was deleted while the demo started');
  await setPasswordHash(db, account.id, passwordHash);
  for (const { key, kind, trustedDomains = [], trustedIps = [] } of DEMO_KEYS) {
    const trusted_domains = trustedDomains.flatMap((domain) => normaliseHost(domain) ?? []);
    const row = { account_id: account.id, kind, mode: 'test' as const, name: 'demo', trusted_domains };
    await importKey(db, { ...row, trusted_ips: [...trustedIps] }, key);
  }
  const liveKey = isLive ? await replaceLiveKey(db, account.id) : undefined;
  return { email: DEMO_EMAIL, password, liveKey };
}

/** It is random, unlike the test keys: whoever knows it spends the account's credits. */
async function replaceLiveKey(db: Db, accountId: string): Promise<string> {
  const now = new Date();
  for (const { id, name } of await listKeys(db, accountId)) {
    if (name === LIVE_KEY_NAME) await revokeKey(db, id, now);
  }
  const made = await createKey(db, {
    ...{ account_id: accountId, kind: 'private', mode: 'live', name: LIVE_KEY_NAME },
    ...{ trusted_domains: [], trusted_ips: ['127.0.0.0/8', '::1'] },
  });
  return made.key;
}

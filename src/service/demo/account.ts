/** The demo's account: made once, with a new password and the ready keys at every start. */
import { randomBytes } from 'node:crypto';
import { normaliseHost } from '../../network/host-name.ts';
import { hashPassword } from '../accounts/password.ts';
import { createAccount, findAccountByEmail, setPasswordHash } from '../accounts/store.ts';
import type { Db } from '../database/schema.ts';
import { importKey } from '../keys/store.ts';
import { DEMO_KEYS } from './keys.ts';

export const DEMO_EMAIL = 'demo@example.com';
const DEMO_CREDITS = 1000;

export interface DemoAccount {
  readonly email: string;
  /** Shown once, in the terminal. */
  readonly password: string;
}

/** Only this start's password works: the ones before stop. */
export async function prepareDemoAccount(db: Db): Promise<DemoAccount> {
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
  return { email: DEMO_EMAIL, password };
}

/** The demo's account. It is created once. Each start gives it a new password, the ready keys and a new live key. */
import { randomBytes } from 'node:crypto';
import { createFacts } from '../../engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../engine/facts/lists.ts';
import { createSampleVerifier } from '../../sample/sample-verifier.ts';
import { normaliseHost } from '../../shared/host-name.ts';
import type { Db } from '../database/schema.ts';
import { createKey, importKey, listKeys, revokeKey } from '../keys/key-store.ts';
import { findAccountByEmail } from '../people/accounts/account-store.ts';
import { hashPassword } from '../people/accounts/password-hash.ts';
import { createAccount } from '../people/members/create-account.ts';
import { findPersonByEmail, setPersonPassword } from '../people/persons/person-store.ts';
import { DEMO_KEYS } from './demo-keys.ts';
import { insertHistory, insertRefusal } from './demo-store.ts';

export const DEMO_EMAIL = 'demo@example.com';
const DEMO_CREDITS = 10_000;
const LIVE_KEY_NAME = 'demo, live';

export interface DemoAccount {
  readonly email: string;
  /** Shown once, in the terminal. */
  readonly password: string;
  /** A private key, shown once. Absent without live verification. */
  readonly liveKey: string | undefined;
}

/** Only this start's password and live key work. Earlier ones stop. @param isLive whether live verification is available */
export async function prepareDemoAccount(db: Db, isLive: boolean): Promise<DemoAccount> {
  const password = randomBytes(9).toString('base64url');
  const passwordHash = await hashPassword(password);
  const isNew = await makeAccount(db, passwordHash);
  const account = await findAccountByEmail(db, DEMO_EMAIL);
  const owner = await findPersonByEmail(db, DEMO_EMAIL);
  if (!account || !owner) throw new Error('the demo account was deleted while the demo started');
  await setPersonPassword(db, owner.id, passwordHash);
  for (const { key, kind, trustedDomains = [], trustedIps = [] } of DEMO_KEYS) {
    const trusted_domains = trustedDomains.flatMap((domain) => normaliseHost(domain) ?? []);
    const name = kind === 'public' ? 'Demo, in pages' : 'Demo, from programs';
    const row = { account_id: account.id, kind, mode: 'test' as const, name, trusted_domains };
    const made = await importKey(db, { ...row, trusted_ips: [...trustedIps] }, key);
    if (isNew && made !== 'exists' && kind === 'public') await insertRefusal(db, made.id, new Date());
  }
  const liveKey = isLive ? await replaceLiveKey(db, account.id) : undefined;
  return { email: DEMO_EMAIL, password, liveKey };
}

/** @returns whether the account is new. A new account has a week of sample history. */
async function makeAccount(db: Db, passwordHash: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Its person stays when the account is deleted.
    const person = await findPersonByEmail(transaction, DEMO_EMAIL);
    const ofNew = person ? undefined : passwordHash;
    const made = await createAccount(transaction, { email: DEMO_EMAIL, passwordHash: ofNew });
    if (typeof made === 'string') return false;
    await insertHistory(transaction, {
      accountId: made.id,
      credits: DEMO_CREDITS,
      verifier: createSampleVerifier(createFacts(loadPublishedLists()), false),
      now: new Date(),
    });
    return true;
  });
}

/** The live key is random, unlike the test keys, because it can spend the account's credits. */
async function replaceLiveKey(db: Db, accountId: string): Promise<string> {
  for (const { id, name } of await listKeys(db, accountId))
    if (name === LIVE_KEY_NAME) await revokeKey(db, id);
  const made = await createKey(db, {
    ...{ account_id: accountId, kind: 'private', mode: 'live', name: LIVE_KEY_NAME },
    ...{ trusted_domains: [], trusted_ips: ['127.0.0.0/8', '::1'] },
  });
  return made.key;
}

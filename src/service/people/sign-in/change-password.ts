/** Changes the password of a signed-in person. Keys, apps and batches of their accounts keep working. */

import { digestOf } from '../../../shared/sha256.ts';
import { recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { membershipsOf } from '../members/member-store.ts';
import { type Person, setPersonPassword } from '../persons/person-store.ts';
import { chooseAccount, countSessions, findSession } from '../sessions/session-store.ts';
import { beginSession } from '../sessions/sessions.ts';
import { makeBrowserToken } from './known-browser.ts';
import type { Judged, PasswordTry } from './passwords.ts';
import type { SignInDeps } from './sign-in.ts';

/**
 * Longer than the operator's minimum, because people choose weaker passwords than the one that `admin account password`
 * makes. Only length counts, not the kinds of characters (NIST SP 800-63B, section 3.1.1.2).
 */
export const NEW_PASSWORD = { minimum: 12, maximum: 1000 };

export interface PasswordChange extends PasswordTry {
  /** The value of the browser's cookie. Its session is replaced. */
  readonly cookie: string;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
  readonly newPassword: string;
}

/** Why a new password is refused. The check does not count as a guess at the current one. */
export type PasswordFault = 'short' | 'long' | 'email' | 'same';

export type PasswordChanged =
  /** The values for the cookie and the token of this browser, and how many other sessions were ended. */
  | {
      readonly kind: 'changed';
      readonly cookie: string;
      readonly browserToken: string;
      readonly ended: number;
    }
  | { readonly kind: 'unfit'; readonly fault: PasswordFault }
  | Exclude<Judged, { kind: 'right' }>;

export async function changePassword(
  deps: SignInDeps,
  { newPassword, cookie, userAgent, ...attempt }: PasswordChange,
): Promise<PasswordChanged> {
  const { db, passwords } = deps;
  const fault = faultOf(newPassword, attempt);
  if (fault) return { kind: 'unfit', fault };
  const judged = await passwords.judge(attempt);
  if (judged.kind !== 'right') return judged;
  const { person, checkedHash: before } = judged;
  const { id } = person;
  const passwordHash = await passwords.hash(newPassword, id);
  if (passwordHash === 'busy') return { kind: 'busy' };
  const changed = await db.transaction().execute(async (transaction) => {
    // All sessions end, including this browser's, whose choice of an account stays.
    const ended = await countSessions(transaction, id);
    const kept = await findSession(transaction, digestOf(cookie));
    if (!(await setPersonPassword(transaction, id, passwordHash, before))) return undefined;
    await recordChange(transaction, person);
    const checked = { id, checkedHash: passwordHash };
    const value = await beginSession({ ...deps, db: transaction }, checked, { replaced: cookie, userAgent });
    if (kept?.account) await chooseAccount(transaction, digestOf(value!), kept.account.id);
    return { value: value!, ended: Math.max(0, ended - 1) };
  });
  // Another request has changed the password meanwhile.
  if (!changed) return { kind: 'wrong' };
  await judged.forgive();
  return {
    kind: 'changed',
    cookie: changed.value,
    browserToken: makeBrowserToken({ id, password_hash: passwordHash })!,
    ended: changed.ended,
  };
}

/** Every account of the person has it in its log. */
async function recordChange(db: Db, { id, email }: Person): Promise<void> {
  const actor = { kind: 'owner', name: email } as const;
  for (const { accountId } of await membershipsOf(db, id))
    await recordAuditEvent(db, { accountId, actor, action: 'settings.password' });
}

function faultOf(text: string, { password, email }: PasswordTry): PasswordFault | undefined {
  const length = [...text.normalize('NFC')].length;
  if (length < NEW_PASSWORD.minimum) return 'short';
  if (length > NEW_PASSWORD.maximum) return 'long';
  if (text.toLowerCase() === email.toLowerCase()) return 'email';
  return text.normalize('NFC') === password.normalize('NFC') ? 'same' : undefined;
}

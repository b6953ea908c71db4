/** Changes the password of a signed-in person, or sets the first one. Keys, apps and batches of their accounts keep working. */
import { digestOf } from '../../../shared/sha256.ts';
import { recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { membershipsOf } from '../members/member-store.ts';
import { namesOfPerson } from '../passwords/names-of-person.ts';
import { findPasswordFault, type PasswordFault } from '../passwords/password-rules.ts';
import { recordPersonEvent } from '../persons/person-events.ts';
import { findPersonByEmail, type Person, setPersonPassword } from '../persons/person-store.ts';
import { chooseAccount, countSessions, findSession } from '../sessions/session-store.ts';
import { type BegunSession, beginSession } from '../sessions/sessions.ts';
import type { Judged, PasswordTry } from './passwords.ts';
import type { SignInDeps } from './sign-in.ts';

export interface PasswordChange extends Omit<PasswordTry, 'password'> {
  /** The current password. Absent for a person who has none, and who has confirmed who they are in another way. */
  readonly password: string | undefined;
  /** The value of the browser's cookie. Its session is replaced. */
  readonly cookie: string;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
  readonly newPassword: string;
}

/** Why a new password is refused. The check does not count as a guess at the current one. */
export type ChangeFault = PasswordFault | 'same';

export type PasswordChanged =
  /** The values for the cookie and the token of this browser, and how many other sessions were ended. */
  | (BegunSession & { readonly kind: 'changed'; readonly ended: number })
  | { readonly kind: 'unfit'; readonly fault: ChangeFault }
  | Exclude<Judged, { kind: 'right' }>;

export async function changePassword(
  deps: SignInDeps,
  { newPassword, cookie, userAgent, ...attempt }: PasswordChange,
): Promise<PasswordChanged> {
  const { db, settings, passwords } = deps;
  const { email, password } = attempt;
  const fault = await faultOf(deps, newPassword, attempt);
  if (fault) return { kind: 'unfit', fault };
  const judged =
    password === undefined
      ? await findWithoutPassword(db, email)
      : await passwords.judge({ ...attempt, password });
  if (judged.kind !== 'right') return judged;
  const { person, checkedHash: before } = judged;
  const { id } = person;
  const passwordHash = await passwords.hash(newPassword, id);
  if (passwordHash === 'busy') return { kind: 'busy' };
  // Not in the transaction, because it may lock the session, and that comes after the person.
  const kept = await findSession(db, digestOf(cookie), settings.durations.sessionIdle);
  const changed = await db.transaction().execute(async (transaction) => {
    // All sessions end, including this browser's, whose choice of an account stays.
    const ended = await countSessions(transaction, id);
    if (!(await setPersonPassword(transaction, id, passwordHash, before))) return undefined;
    await recordChange(transaction, person);
    const checked = { id, checkedHash: passwordHash };
    // The browser gets a new token: the old ones have ended.
    const browser = { replaced: cookie, userAgent, ip: attempt.ip, browserToken: undefined };
    const begun = await beginSession({ ...deps, db: transaction }, checked, browser);
    if (kept?.account) await chooseAccount(transaction, digestOf(begun!.cookie), kept.account.id);
    // After the session has begun, which otherwise would show it at once.
    const by = { kind: 'owner', name: person.email } as const;
    await recordPersonEvent(transaction, { personId: id, event: 'password.changed', by });
    return { ...begun!, ended: Math.max(0, ended - 1) };
  });
  // Another request has changed the password meanwhile.
  if (!changed) return { kind: 'wrong' };
  await judged.forgive?.();
  return { kind: 'changed', ...changed };
}

async function findWithoutPassword(db: Db, email: string) {
  const person = await findPersonByEmail(db, email);
  if (person?.password_hash !== null) return { kind: 'wrong' } as const;
  return { kind: 'right', person, checkedHash: null, forgive: undefined } as const;
}

/** Every account of the person has it in its log. */
async function recordChange(db: Db, { id, email }: Person): Promise<void> {
  const actor = { kind: 'owner', name: email } as const;
  for (const { accountId } of await membershipsOf(db, id))
    await recordAuditEvent(db, { accountId, actor, action: 'settings.password' });
}

async function faultOf(
  { db, settings }: Pick<SignInDeps, 'db' | 'settings'>,
  text: string,
  { password, email }: Pick<PasswordChange, 'password' | 'email'>,
): Promise<ChangeFault | undefined> {
  const person = await findPersonByEmail(db, email);
  const names = await namesOfPerson(db, { id: person?.id, email }, settings.publicUrl);
  const fault = await findPasswordFault(text, names);
  return fault ?? (text.normalize('NFC') === password?.normalize('NFC') ? 'same' : undefined);
}
